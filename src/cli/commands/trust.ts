import { changePhrase, unacceptedChanges } from '../../core/accepted-config';
import { type CompiledConfig, loadConfig, textInStamp } from '../../core/project';
import { acceptWeaker } from '../../guards/gates/session-baseline';
import { type Context, type ExitCode, type Options, Refusal, report } from '../context';
import { baselinesIn, weakerChecks } from '../gates/project';
import { colouredDiff } from '../install/report';
import { type ProjectContext, requireProject } from '../project';
import { changeState, journalCommand, personOnlyText } from '../req/context';
import { styled } from '../ui/output';

/** `holdpoint trust`: what changed without Holdpoint's commands while an agent worked; a person can accept it. */
export function trust(context: Context, { accept }: Options<'accept'>): ExitCode {
  const { chunks } = context;
  const project = requireProject(context);
  const config = loadConfig(project, chunks);
  const changes = unacceptedChanges(config);
  const weaker = baselinesIn(project.layout).filter(({ baseline }) => baseline.weaker.length > 0);
  const facts = weakerChecks(project.layout);
  const isAccepted = accept && changes.length + facts.length > 0;
  if (isAccepted) {
    if (context.caller().actor !== 'person') throw new Refusal(personOnlyText('accept a change', context));
    if (changes.length > 0) chunks.part('compile-config').acceptConfig(project, chunks);
    changeState(project.layout, 'holdpoint trust', () => weaker.map(({ ref }) => acceptWeaker(ref)));
    journalCommand(project, 'trust --accept', [...changes.map(({ file }) => file), ...facts]);
  }
  const problems = isAccepted ? (loadConfig(project, chunks)?.head.problems ?? []) : [];
  const lines = changes.length > 0 || facts.length === 0 ? trustLines(config, isAccepted, project) : [];
  const value = { changes, weaker_checks: [...facts], accepted: isAccepted };
  return report(
    context,
    value,
    [...lines, ...weakerLines(facts, isAccepted)],
    problems.length === 0 ? [] : [NOT_ALL_COUNTS, ...problems.map((one) => `  ${one}`)],
  );
}

const NOT_ALL_COUNTS = 'The accepted config has errors; invalid entries have no effect:';

function weakerLines(facts: readonly string[], isAccepted: boolean): readonly string[] {
  if (facts.length === 0) return [];
  return [
    'Checks that possibly became weaker:',
    ...facts.map((fact) => `  ${fact}`),
    isAccepted
      ? styled('green', 'Accepted.')
      : '`git diff` shows how. `holdpoint trust --accept` accepts it; otherwise have it undone.',
  ];
}

function trustLines(config: CompiledConfig | undefined, isAccepted: boolean, { root }: ProjectContext) {
  const changes = unacceptedChanges(config);
  if (changes.length === 0) return ['There is no change to accept.'];
  const shown = (file: string): string => (file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file);
  const { agreed = [], stamps = [] } = config?.head ?? {};
  const files = [...new Set(changes.map(({ file }) => file))];
  const textIn = (all: typeof stamps, file: string) => textInStamp(all.find(([one]) => one === file)?.[1]);
  const diffs = files.flatMap((file) => {
    const [before, after] = [textIn(agreed, file), textIn(stamps, file)];
    return before === after ? [] : ['', ...colouredDiff({ file: shown(file), before, after })];
  });
  return [
    'Changed while an agent worked, and not accepted by a person:',
    ...changes.map((one) => `  ${changePhrase({ ...one, file: shown(one.file) })}`),
    ...diffs,
    '',
    isAccepted
      ? styled('green', 'Accepted. The config counts as it is now.')
      : 'Until then the rules hold as they were. `holdpoint trust --accept` accepts the change.',
  ];
}
