import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { ApiError } from './errors.js';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface PageFile {
  readonly body: Buffer;
  readonly zipped: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where the build puts the page: beside the command. */
export const builtPage = fileURLToPath(new URL('./page', import.meta.url));

/** Serves the page's files, read once. A path without a file extension is a view of the page. */
export function page(directory: string): Hono {
  const files = readFiles(directory);
  const app = new Hono();
  app.get('*', async (c, next) => {
    const { path } = c.req;
    if (path.startsWith('/api/')) return next();
    const name = extname(path) ? path : '/index.html';
    const file = files.get(name);
    if (!file) throw notFound(name);
    for (const [header, value] of Object.entries(file.headers)) c.header(header, value);
    if (c.req.header('if-none-match') === file.headers['etag']) return c.body(null, 304);
    const zip = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
    if (zip) c.header('content-encoding', 'gzip');
    return c.body(new Uint8Array(zip ? file.zipped : file.body));
  });
  return app;
}

function notFound(name: string): ApiError {
  return name === '/index.html'
    ? new ApiError(404, 'no-page', 'This hub was built without its page. Run `npm run build`.')
    : new ApiError(404, 'not-found', `There is no ${name}.`);
}

function readFiles(directory: string): Map<string, PageFile> {
  if (!existsSync(directory)) return new Map();
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = join(entry.parentPath, entry.name);
        const name = `/${relative(directory, file).split(sep).join('/')}`;
        return [name, readPageFile(file, name)];
      }),
  );
}

function readPageFile(file: string, name: string): PageFile {
  const body = readFileSync(file);
  // Vite puts a hash into the names of everything it builds, all of it in assets/.
  const hashed = name.startsWith('/assets/');
  return {
    body,
    zipped: gzipSync(body),
    headers: {
      'content-type': types[extname(name)] ?? 'application/octet-stream',
      'cache-control': hashed
        ? 'public, max-age=31536000, immutable'
        : name === '/index.html'
          ? 'no-store'
          : 'no-cache',
      etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      vary: 'accept-encoding',
    },
  };
}
