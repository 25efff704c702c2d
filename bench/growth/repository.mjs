import { isSilent, reports } from '../answers.mjs';
import { edit, stop } from '../events.mjs';
import { configOf, satisfyAll } from '../scenes/four-requirements.mjs';
import { gatedProject } from '../scenes/gated-project.mjs';
import { counted, rowsBySize } from './sizes.mjs';

const SIZES = [10, 50_000];
const NAMES = ['commit_plan', 'adr_reviewed', 'tests_planned', 'docs_planned'];

/** That many files, a hundred a directory. */
function filesOf(size) {
  return Object.fromEntries(
    Array.from({ length: size }, (_, index) => [`src/${Math.floor(index / 100)}/${index}.txt`, `${index}\n`]),
  );
}

/** A project of that size, packed as repositories of that size are. */
const projectOf = (size, interval) => (stage) => {
  const files = { '.claude/requirements.yaml': configOf(NAMES), ...filesOf(size) };
  const place = gatedProject(stage, `repository-${size}-${interval}`, { interval, cache: false, files });
  stage.git(place, 'repack', '-a', '-d', '-q');
  return { ...place, names: NAMES };
};

const RESTING = new Map(SIZES.map((size) => [size, projectOf(size, 600)]));
const WORKING = new Map(SIZES.map((size) => [size, projectOf(size, 0)]));
const rowsNamed = (what, places, row) =>
  rowsBySize(SIZES, (size) => ({
    name: `growth: ${what}, ${counted(size, 'file')}`,
    place: places.get(size),
    ...row,
  }));

/** Only gates that run have to ask git what has changed. */
export const repository = [
  ...rowsNamed('call', RESTING, { before: satisfyAll, event: edit, expects: isSilent }),
  ...rowsNamed('gates rest', RESTING, {
    before: satisfyAll,
    event: stop,
    expects: reports('interval_not_elapsed'),
  }),
  ...rowsNamed('gates run', WORKING, { before: satisfyAll, event: stop, expects: reports('passed') }),
];
