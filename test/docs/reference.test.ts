import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandFile } from '../e2e/rig';

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const INTRO = `# Config reference

Every key of \`.holdpoint/config.yaml\`, \`.holdpoint/config.local.yaml\` and \`~/.config/holdpoint/config.yaml\`. Generated
from \`holdpoint schema\` by \`npx vitest run test/docs/reference.test.ts -u\`; do not edit. \`NAME\` is a name you choose,
\`[]\` an entry of a list. No key is required unless it says so. Top-level keys that begin with \`x-\` are yours, for
instance to hold YAML anchors.
`;

/** What a schema allows apart from an empty key, which always counts as absent. */
const variants = (schema: Schema): readonly Schema[] =>
  (schema.anyOf ?? [schema]).flatMap((one) => (one.anyOf ? variants(one) : one.type === 'null' ? [] : [one]));

function typeOf(schema: Schema): string {
  const names = variants(schema).flatMap((one): string[] => {
    const words = (one.enum ?? (one.const === undefined ? [] : [one.const])).filter((word) => word !== null);
    if (words.length > 0) return [...new Set(words.map((word) => `\`${word}\``))];
    if (one.items !== undefined) return [`list of ${typeOf(one.items)}`];
    const type = [one.type ?? 'any'].flat().find((each) => each !== 'null') ?? 'any';
    return [type === 'object' ? 'mapping' : type];
  });
  return [...new Set(names)].join(' or ');
}

const descriptionOf = (schema: Schema): string =>
  schema.description ?? schema.anyOf?.map(descriptionOf).find((text) => text !== '') ?? '';

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The rows of one section; a mapping that was described before is only referred to. */
function rowsOf(path: string, schema: Schema, seen: Map<string, string>): string[] {
  return variants(schema).flatMap((one): string[] => {
    const { properties = {}, required = [], additionalProperties: member, items } = one;
    const own = Object.entries(properties).filter(([, { deprecated }]) => deprecated !== true);
    const shape = JSON.stringify(own);
    if (own.length > 0 && seen.has(shape)) return [`Same keys as \`${seen.get(shape)}\`.`];
    seen.set(shape, path);
    const rows = own.flatMap(([key, inner]) => {
      const [text = '', otherwise = ''] = descriptionOf(inner).split(/ ?Default: (.*)\.$/);
      const given = required.includes(key) ? 'required' : otherwise;
      const below = rowsOf(`${path}.${key}`, inner, seen);
      const same = below[0]?.startsWith('Same') ? ` ${below.shift()}` : '';
      return [`| \`${path}.${key}\` | ${cell(typeOf(inner))} | ${given} | ${cell(text)}${same} |`, ...below];
    });
    const members = typeof member === 'object' ? rowsOf(`${path}.NAME`, member, seen) : [];
    return [...rows, ...members, ...(items === undefined ? [] : rowsOf(`${path}[]`, items, seen))];
  });
}

function ignoredIn(path: string, { properties = {}, additionalProperties: member }: Schema): string[] {
  const here = Object.entries(properties).flatMap(([key, inner]) =>
    inner.deprecated === true ? [`\`${path}.${key}\``] : ignoredIn(`${path}.${key}`, inner),
  );
  return typeof member === 'object' ? [...here, ...ignoredIn(`${path}.NAME`, member)] : here;
}

function sectionOf([key, schema]: readonly [string, Schema]): string {
  const [text = '', otherwise] = descriptionOf(schema).split(/ ?Default: (.*)\.$/);
  const rows = rowsOf(key, schema, new Map());
  const ignored = ignoredIn(key, schema);
  const usual = otherwise === undefined ? '' : ` Type: ${typeOf(schema)}. Default: ${otherwise}.`;
  return [
    `\n## ${key}\n\n${text}${usual}\n`,
    ...(rows.length > 0
      ? [`\n| key | type | default | description |\n|---|---|---|---|\n${rows.join('\n')}\n`]
      : []),
    ...(ignored.length > 0 ? [`\nAccepted and ignored, with a warning: ${ignored.join(', ')}.\n`] : []),
  ].join('');
}

const printed = spawnSync(process.execPath, [commandFile('holdpoint'), 'schema'], { encoding: 'utf8' });
const { properties = {} } = JSON.parse(printed.stdout) as Schema;

test('docs/reference.md is what the schema says; `-u` writes it', async () => {
  await expect(INTRO + Object.entries(properties).map(sectionOf).join('')).toMatchFileSnapshot(
    '../../docs/reference.md',
  );
});
