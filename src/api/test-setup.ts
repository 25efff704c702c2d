import { register } from 'node:module';

/* Loaded before the tests of rules: resolves `holdpoint` to this package and strips types. */

type Resolved = { readonly url: string; readonly shortCircuit?: boolean };
type Next<Context, T> = (name: string, context: Context) => Promise<T>;
type Loaded = { readonly format: string; readonly source: string; readonly shortCircuit: boolean };

const OWN: Readonly<Record<string, string>> = {
  holdpoint: './index.mjs',
  'holdpoint/testing': './testing.mjs',
};

// Node loads this file a second time, in a thread of its own, for the two hooks below.
if (new URL(import.meta.url).search === '') register(`${import.meta.url}?hooks`);

export async function resolve<T>(name: string, context: T, next: Next<T, Resolved>): Promise<Resolved> {
  const own = OWN[name];
  if (own !== undefined) return { url: new URL(own, import.meta.url.split('?')[0]).href, shortCircuit: true };
  try {
    return await next(name, context);
  } catch (error) {
    // Tests may leave out the extension in imports, as rules may.
    if (!name.startsWith('.')) throw error;
    return next(`${name}.ts`, context);
  }
}

export async function load<T>(url: string, context: T, next: Next<T, Loaded>): Promise<Loaded> {
  if (!/\.m?ts$/.test(url)) return next(url, context);
  const { readFileSync } = await import('node:fs');
  const { fileURLToPath } = await import('node:url');
  const { transform } = await import('sucrase');
  const text = readFileSync(fileURLToPath(url), 'utf8');
  const { code } = transform(text, { transforms: ['typescript'], disableESTransforms: true });
  return { format: 'module', source: code, shortCircuit: true };
}
