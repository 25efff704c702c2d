import type { Result } from '../../core/failure';
import { refuse } from '../req/refuse';
import type { Context, ExitCode } from '../verb';
import { changeFlow, type Here, type Move } from './change-flow';
import { noteChange } from './note-change';
import type { FlowPlace } from './place';
import { flowJson } from './status-json';

/** How a command wants to be carried out and told of. */
interface Call {
  readonly command: string;
  /** What it is about, for the journal. */
  readonly about: string;
  readonly json: boolean;
}

/** Moves the workflow, or says why not. Programs get the status as it is afterwards. */
export function runMove(
  place: FlowPlace,
  { command, about, json }: Call,
  context: Context,
  plan: (here: Here) => Result<Move, string>,
): ExitCode {
  const { out } = context;
  const moved = changeFlow(place, plan);
  if (!moved.ok) return refuse(context, moved.failure, 1);
  noteChange(place, command, about, moved.value.written, context);
  if (json) out.json(flowJson(place.model, moved.value.state));
  else for (const line of moved.value.lines) out.line(line);
  return 0;
}
