import { type Result, succeed } from '../../core/failure';
import type { LoopConfig } from '../../guards/loop/config';
import type { FrameAsk } from '../../guards/loop/new-state';
import type { Context } from '../verb';
import type { Bounds } from './bounds';
import type { LoopPlace } from './place';
import { type PromptFile, promptFile } from './prompt';
import { type Mode, type StartOptions, safeId } from './start-options';
import { worktreeAt } from './worktree';

/** What is to be started, with what the config adds to it. */
export interface Asked {
  readonly frame: FrameAsk;
  readonly prompt?: PromptFile;
}

export function askFor(
  options: StartOptions,
  text: string | undefined,
  place: LoopPlace,
  context: Context,
): Result<Asked, string> {
  const { mode, bounds, issue, branch, verify, includePrompt } = options;
  const { config } = place;
  const worktree = options.worktree === undefined ? undefined : worktreeAt(options.worktree, branch, context);
  if (worktree?.ok === false) return worktree;
  const id = frameId(mode, issue, Date.now());
  const prompt = text === undefined ? undefined : promptFile(place, id, text);
  const frame: FrameAsk = {
    id,
    mode,
    ...boundsWith(bounds, mode, config),
    ...(issue !== undefined && { issue }),
    ...(worktree !== undefined && { worktree: worktree.value }),
    ...(branch !== undefined && { branch }),
    ...(prompt !== undefined && { promptFile: prompt.file }),
    includePrompt: prompt !== undefined && (includePrompt || config.includePrompt),
    ...(verify !== undefined && { verify }),
  };
  return succeed({ frame, ...(prompt !== undefined && { prompt }) });
}

/** What was not said is decided by the config. */
function boundsWith(
  bounds: Bounds,
  mode: Mode,
  config: LoopConfig,
): Pick<FrameAsk, 'max' | 'seconds' | 'tokens'> {
  const { maxMinutes, maxTokens, grindMax, maxIterations } = config;
  return {
    max: mode === 'grind' ? grindMax : maxIterations,
    ...(maxMinutes !== undefined && { seconds: Math.max(1, Math.round(maxMinutes * 60)) }),
    ...(maxTokens !== undefined && { tokens: maxTokens }),
    ...bounds,
  };
}

/** Also the name of a file, so an issue stands in it only as far as a file's name may have it. */
function frameId(mode: string, issue: string | undefined, now: number): string {
  const about = issue === undefined ? mode : `${mode}-${safeId(issue).slice(0, 64)}`;
  return `${about}-${Math.floor(now / 1000)}-${process.pid}`;
}
