import { existsSync } from 'node:fs';
import { structuredPatch } from 'diff';
import { changesSince, phraseOf } from '../../core/agreed';
import { acceptConfig } from '../../core/compile-config';
import { type CompiledConfig, loadConfig, textOf } from '../../core/project';
import type { Context, ExitCode } from '../context';
import { attempt } from '../install/files';
import { type OpenProject, openProject, openProjectOrRefuse } from '../project';
import { isWorkedIn, noteByHand, peopleOnly } from '../req/context';
import { type Output, printable } from '../ui/output';
import { Refusal } from '../ui/refusal';

/** `holdpoint trust`: what has changed beside Holdpoint while an agent worked, and a person's yes to it. */
export function trust(context: Context, { accept, json }: { accept: boolean; json: boolean }): ExitCode {
  const { out, chunks } = context;
  const project = openProjectOrRefuse(context);
  const config = loadConfig(project, chunks);
  const changes = changesIn(config);
  if (accept && changes.length > 0) {
    const { actor } = context.caller();
    if (actor !== 'person') throw new Refusal(peopleOnly('accept a change', context));
    acceptConfig(project, chunks);
    noteByHand(
      project.layout,
      'trust --accept',
      changes.map(({ file }) => file),
      { actor },
    );
  }
  const isAccepted = accept && changes.length > 0;
  if (json) out.json({ changes, accepted: isAccepted });
  else for (const line of trustLines(config, project, isAccepted, out)) out.line(line);
  return 0;
}

/** What has changed since a person last agreed to it. */
export function changesIn(config: CompiledConfig | undefined) {
  const { agreed, stamps } = config?.head ?? {};
  return agreed === undefined || stamps === undefined ? [] : changesSince(agreed, stamps);
}

function trustLines(
  config: CompiledConfig | undefined,
  { root }: OpenProject,
  isAccepted: boolean,
  out: Output,
) {
  const changes = changesIn(config);
  if (changes.length === 0) return ['Nothing has changed since a person last agreed to it.'];
  const shown = (file: string): string =>
    printable(file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file);
  const { agreed = [], stamps = [] } = config?.head ?? {};
  const files = [...new Set(changes.map(({ file }) => file))];
  const textIn = (all: typeof stamps, file: string): string =>
    textOf(all.find(([one]) => one === file)?.[1]) ?? '';
  const diffs = files.flatMap((file) => {
    const { hunks } = structuredPatch('', '', textIn(agreed, file), textIn(stamps, file), '', '', {
      context: 2,
    });
    if (hunks.length === 0) return [];
    return [
      '',
      out.style('bold', shown(file)),
      ...hunks.flatMap(({ lines }) => lines.map((line) => diffLine(line, out))),
    ];
  });
  return [
    'Changed while an agent worked, and not accepted by a person:',
    ...changes.map((one) => `  ${phraseOf({ ...one, file: shown(one.file) })}`),
    ...diffs,
    '',
    isAccepted
      ? out.style('green', 'Accepted. The config counts as it is now.')
      : 'Until then the rules hold as they were. `holdpoint trust --accept` accepts the change.',
  ];
}

function diffLine(line: string, out: Output): string {
  const colour = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim';
  return out.style(colour, `  ${printable(line)}`);
}

/** What a person's command changes in config and settings is agreed on with it; what others have left open stays open. */
export async function agreeing<T>(context: Context, work: () => T | Promise<T>): Promise<T> {
  const { chunks } = context;
  const before = openProject(context);
  const isSettled = before === undefined || changesIn(attempt(() => loadConfig(before, chunks))).length === 0;
  const result = await work();
  const after = openProject(context);
  if (isSettled && after && existsSync(after.layout.own) && isWorkedIn(after))
    if (context.caller().actor === 'person') acceptConfig(after, chunks);
  return result;
}
