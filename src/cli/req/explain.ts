import { parseArgs } from 'node:util';
import { explainEvent } from '../../core/explain-event';
import { succeed } from '../../core/failure';
import { type JsonObject, jsonObjectIn } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { calledAs } from '../called-as';
import { explanationJson, explanationLines } from '../explanation-text';
import { NO_PROJECT, oneTooMany } from '../messages';
import { type OpenProject, openProject } from '../project';
import type { Context, ExitCode, Verb } from '../verb';
import { findOrAskSession, isEmptyId } from './find-session';
import { emptySessionId } from './messages';
import { refuse } from './refuse';

/** Stands in where no session can be told: nothing was ever satisfied for it alone. */
const NO_SESSION = 'no-session';

export const verb: Verb = {
  usage: 'req explain TOOL [JSON] [-s SESSION] [--json]',
  async run(args, context): Promise<ExitCode> {
    const { out } = context;
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { session: { type: 'string', short: 's' }, json: { type: 'boolean', default: false } },
    });
    const [tool, text = '{}', extra] = positionals;
    if (isEmptyId(values.session)) return refuse(context, emptySessionId('explain'), 2);
    if (tool === undefined) return refuse(context, 'req explain: name a tool, such as Edit.', 2);
    if (extra !== undefined) return refuse(context, oneTooMany(calledAs('holdpoint req explain'), extra), 2);
    const input = jsonObjectIn(text);
    if (input === undefined)
      return refuse(context, "req explain: the tool's input is one JSON object, such as '{}'.", 2);
    const project = openProject(context);
    if (project === undefined) return refuse(context, NO_PROJECT, 1);
    const event = await eventFor(tool, input, values.session, project, context);
    const { env, chunks } = context;
    const explanation = await explainEvent(succeed(JSON.stringify(event)), {
      host: 'claude-code',
      only: [],
      env,
      chunks,
      now: Date.now(),
    });
    if (explanation.kind === 'no-event')
      return refuse(context, `req explain: ${sentenceOf(explanation.failure)}`, 2);
    if (values.json) out.json(explanationJson(explanation));
    else for (const line of explanationLines(explanation, out)) out.line(line);
    return 0;
  },
};

/** The event that Claude Code would send before this call. */
async function eventFor(
  tool: string,
  input: JsonObject,
  given: string | undefined,
  project: OpenProject,
  { cwd, env, out }: Context,
): Promise<JsonObject> {
  const found = await findOrAskSession(given, project, env);
  if (found.kind === 'none')
    out.error('No session could be told: explained for one that has satisfied nothing.');
  return {
    session_id: found.kind === 'found' ? found.key : NO_SESSION,
    hook_event_name: 'PreToolUse',
    tool_name: tool,
    tool_input: input,
    cwd,
  };
}
