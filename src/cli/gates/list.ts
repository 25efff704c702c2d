import { parseArgs } from 'node:util';
import type { GatesConfig } from '../../guards/gates/config';
import { printable } from '../ui/output';
import type { Context, Verb } from '../verb';
import { diagnosticJson, requireGates, showDiagnostics } from './project';

export const verb: Verb = {
  usage: 'holdpoint gates list [--json]',
  run(args, context) {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
    });
    const here = requireGates(context);
    if (here === undefined) return 2;
    if (values.json)
      context.out.json({ ...listJson(here.config), problems: here.errors.map(diagnosticJson) });
    else showList(here.config, context);
    showDiagnostics(here.errors, context);
    return here.errors.length > 0 ? 2 : 0;
  },
};

function showList({ checks, reviews, entryPoints }: GatesConfig, { out }: Context): void {
  const item = (name: string, more: string): void =>
    void out.line(` - ${out.style('bold', name)}${more === '' ? '' : ` ${out.style('dim', more)}`}`);
  out.line(out.style('cyan', 'Check Gates:'));
  for (const { name, command } of checks) item(name, `(${firstLine(command)})`);
  out.line();
  out.line(out.style('cyan', 'Review Gates:'));
  for (const { name, preference } of reviews) item(name, `(Tools: ${preference.join(', ')})`);
  out.line();
  out.line(out.style('cyan', 'Entry Points:'));
  for (const { path, exclude, checks: own, reviews: ownReviews } of entryPoints) {
    item(path, exclude.length > 0 ? `(without ${exclude.join(', ')})` : '');
    if (own.length > 0) out.line(printable(`     Checks: ${own.join(', ')}`));
    if (ownReviews.length > 0) out.line(printable(`     Reviews: ${ownReviews.join(', ')}`));
  }
}

function firstLine(command: string): string {
  const [first = '', ...more] = command.trim().split('\n');
  return more.length > 0 ? `${first} …` : first;
}

function listJson({ checks, reviews, entryPoints }: GatesConfig): object {
  return {
    checks: checks.map(({ name, command, place }) => ({ name, command, place })),
    reviews: reviews.map(({ name, preference, numReviews, place }) => {
      return { name, tools: preference, num_reviews: numReviews, place };
    }),
    entry_points: entryPoints.map(({ path, exclude, checks: own, reviews: ownReviews, place }) => {
      return { path, exclude, checks: own, reviews: ownReviews, place };
    }),
  };
}
