import { denies, isSilent } from '../answers.mjs';
import { edit, read } from '../events.mjs';
import { configOf, projectWith, satisfyAll } from '../scenes/four-requirements.mjs';
import { counted, rowsBySize } from './sizes.mjs';

const SIZES = [3, 300];
const namesOf = (size) => Array.from({ length: size }, (_, index) => `rule_${index}`);

/** All are set off by every edit. */
const alike = new Map(
  SIZES.map((size) => [size, (stage) => projectWith(stage, `alike-${size}`, namesOf(size))]),
);

/** The first three are set off by edits, the others by a tool of their own each. */
const various = new Map(
  SIZES.map((size) => [
    size,
    (stage) => {
      const names = namesOf(size);
      const tools = names
        .slice(3)
        .map((name) => `  ${name}:\n    enabled: true\n    trigger_tools: [mcp__${name}__run]\n`);
      const ofEdits = configOf(names.slice(0, 3));
      const files = { '.claude/requirements.yaml': ofEdits + tools.join(''), 'a.ts': 'a\n' };
      return { ...stage.repository(`various-${size}`, { files }), names: names.slice(0, 3) };
    },
  ]),
);

const rowsNamed = (what, places, row) =>
  rowsBySize(SIZES, (size) => ({
    name: `growth: ${what}, ${counted(size, 'requirement')}`,
    place: places.get(size),
    ...row,
  }));

/** A config of many requirements, for calls that none, three or all of them are set off by. */
export const config = [
  ...rowsNamed('read that nobody watches', various, { event: read, expects: isSilent }),
  ...rowsNamed('edit that three watch', various, { before: satisfyAll, event: edit, expects: isSilent }),
  ...rowsNamed('edit that all watch', alike, { before: satisfyAll, event: edit, expects: isSilent }),
  ...rowsNamed('edit that all deny', alike, { event: edit, expects: denies }),
];
