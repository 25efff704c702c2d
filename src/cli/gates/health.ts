import { parseArgs } from 'node:util';
import { type Diagnostic, showPlace } from '../../config/diagnostics';
import { ReviewerHealth } from '../../guards/gates/review/health';
import { REVIEWERS } from '../../guards/gates/reviewers';
import { logDirOf } from '../../guards/gates/run/log-dir';
import { printable, table } from '../ui/output';
import type { Context, ExitCode, Verb } from '../verb';
import * as say from './messages';
import { diagnosticJson, type GatesHere, gatesHere } from './project';

/** What is known of one reviewer. */
interface ReviewerState {
  readonly name: string;
  readonly state: 'healthy' | 'missing' | 'unhealthy';
  /** In a word, or in the words of its program. */
  readonly text: string;
}

export const verb: Verb = {
  usage: 'holdpoint gates health [--json]',
  async run(args, context): Promise<ExitCode> {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
    });
    const here = gatesHere(context);
    const reviewers = await reviewerStates(here, context);
    if (values.json) {
      const problems = (here?.diagnostics ?? []).map(diagnosticJson);
      context.out.json({
        configured: here?.config !== undefined,
        files: here?.files ?? [],
        problems,
        reviewers,
      });
      return 0;
    }
    showConfig(here, context);
    context.out.line();
    showReviewers(reviewers, context);
    return 0;
  },
};

/** Those that the config names; without one, all that there are. */
async function reviewerStates(here: GatesHere | undefined, { cwd, env }: Context): Promise<ReviewerState[]> {
  const { config, root = cwd } = here ?? {};
  const preferred = config?.reviewers.preference ?? [];
  const named = [...preferred, ...(config?.reviews ?? []).flatMap(({ preference }) => preference)];
  const names = named.length > 0 ? [...new Set(named)] : REVIEWERS;
  const health = new ReviewerHealth({
    root,
    env,
    logDir: logDirOf(root, config ?? { logDir: 'gauntlet_logs' }),
    checkUsageLimit: config?.reviewers.checkUsageLimit ?? false,
  });
  return Promise.all(
    names.map(async (name) => {
      const found = await health.of(name);
      const text =
        found.state === 'healthy' ? 'Installed' : found.state === 'missing' ? 'Missing' : found.message;
      return { name, state: found.state, text };
    }),
  );
}

function showConfig(here: GatesHere | undefined, { out }: Context): void {
  out.line(out.style('bold', say.CONFIG_HEALTH));
  const files = new Set([
    ...(here?.files ?? []),
    ...(here?.diagnostics ?? []).map(({ place }) => place.file),
  ]);
  if (here === undefined || files.size === 0) return void out.line(`  ${out.style('yellow', say.NO_GATES)}`);
  for (const file of files) {
    const found = here.diagnostics.filter(({ place }) => place.file === file);
    if (found.length === 0) out.line(`  ${out.style('green', '✓')} ${printable(file)}`);
    for (const diagnostic of found) showProblem(diagnostic, out);
  }
}

function showProblem(diagnostic: Diagnostic, out: Context['out']): void {
  const isError = diagnostic.severity === 'error';
  out.line(
    `  ${out.style(isError ? 'red' : 'yellow', isError ? '✗' : '⚠')} ${printable(showPlace(diagnostic.place))}`,
  );
  out.line(`      ${out.style('dim', diagnostic.message)}`);
  if (diagnostic.hint !== undefined) out.line(`      ${out.style('dim', diagnostic.hint)}`);
}

const COLOURS = { healthy: 'green', missing: 'red', unhealthy: 'yellow' } as const;

function showReviewers(reviewers: readonly ReviewerState[], { out }: Context): void {
  out.line(out.style('bold', say.REVIEWER_HEALTH));
  const names = table(reviewers.map(({ name }) => [`  ${name}`, ':']));
  for (const [index, { state, text }] of reviewers.entries())
    out.line(`${names[index] ?? ''} ${out.style(COLOURS[state], text)}`);
}
