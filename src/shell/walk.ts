import type { AndOr, CommandNode, Pipeline, PipelineNode, Statement } from 'unbash';
import type { Options } from './possible';
import {
  type FunctionBody,
  frameIn,
  leave,
  nearestFrame,
  type Scope,
  spend,
  subshell,
  type Trace,
  withLeavers,
} from './scope';
import { timeline, valuesAt } from './timeline';
import { openFiles, walkCommand } from './walk-command';
import { walkCompound } from './walk-compound';
import { afterwards, both, either, NEVER, type Outcome, passedBy, START, type Worlds } from './worlds';

/** Walks a whole text from a directory; what it met is in the trace. */
export function walkText(
  list: readonly Statement[],
  cwd: string,
  home: string | undefined,
  trace: Trace,
): Outcome {
  const scope: Scope = {
    trace,
    walkList,
    walkBody,
    cwd: timeline<string | undefined>(cwd),
    directoryStack: timeline<readonly Options[]>([]),
    variables: new Map(home === undefined ? [] : [['HOME', timeline<string | undefined>(home)]]),
    functions: new Map(),
    errexit: timeline(false),
    pipefail: timeline(false),
    positional: undefined,
    frame: frameIn(undefined, 'shell'),
    tested: 0,
    depth: 0,
    loops: 0,
    carrier: undefined,
  };
  return withLeavers(walkList(list, START, scope), scope.frame);
}

function walkList(list: readonly Statement[], entry: Worlds, scope: Scope): Outcome {
  let outcome: Outcome = { success: entry, failure: NEVER };
  let from = entry;
  for (const statement of list) {
    if (from.length === 0 || !spend(scope.trace)) return { success: NEVER, failure: NEVER };
    outcome = walkStatement(statement, from, scope);
    from = goesOn(statement, outcome, scope);
  }
  return outcome;
}

/** Under `set -e` only success goes on, except where the failure is being tested. */
function goesOn(statement: Statement, outcome: Outcome, scope: Scope): Worlds {
  const { command } = statement;
  const isTested =
    scope.tested > 0 || command.type === 'AndOr' || (command.type === 'Pipeline' && isNegated(command));
  const all = afterwards(outcome);
  if (isTested || !isOn(scope.errexit, all)) return all;
  leave(nearestFrame(scope.frame, ['shell']), { success: NEVER, failure: outcome.failure });
  return outcome.success;
}

function isOn(mode: Scope['errexit'], worlds: Worlds): boolean {
  const values = valuesAt(mode, worlds);
  return values.length === 1 && values[0] === true;
}

function walkStatement(statement: Statement, entry: Worlds, scope: Scope): Outcome {
  const { command } = statement;
  if (statement.background) {
    const own = subshell(scope);
    if (command.type === 'AndOr') walkAndOr(command, entry, own);
    else walkPipelineNode(command, entry, own);
    return { success: entry, failure: NEVER };
  }
  return command.type === 'AndOr'
    ? walkAndOr(command, entry, scope)
    : walkPipelineNode(command, entry, scope);
}

function walkAndOr(node: AndOr, entry: Worlds, scope: Scope): Outcome {
  let outcome: Outcome = { success: entry, failure: NEVER };
  node.commands.forEach((command, index) => {
    const operator = index === 0 ? '&&' : node.operators[index - 1];
    const first = scope.trace.nextStep;
    const isLast = index === node.commands.length - 1;
    if (!isLast) scope.tested++;
    const from = operator === '||' ? outcome.failure : outcome.success;
    const next =
      from.length === 0 ? { success: NEVER, failure: NEVER } : walkPipelineNode(command, from, scope);
    if (!isLast) scope.tested--;
    const end = scope.trace.nextStep;
    outcome =
      operator === '||'
        ? { success: either(passedBy(outcome.success, first, end), next.success), failure: next.failure }
        : { success: next.success, failure: either(passedBy(outcome.failure, first, end), next.failure) };
  });
  return outcome;
}

function walkPipelineNode(node: PipelineNode, entry: Worlds, scope: Scope): Outcome {
  if (!spend(scope.trace)) return { success: NEVER, failure: NEVER };
  if (node.type !== 'Pipeline') return walkNode(node, entry, scope);
  const negated = isNegated(node);
  if (negated) scope.tested++;
  const outcome = walkPipeline(node, entry, scope);
  if (negated) scope.tested--;
  return negated ? { success: outcome.failure, failure: outcome.success } : outcome;
}

function isNegated(node: Pipeline): boolean {
  return node.prefixes.filter((prefix) => prefix.type === 'Negation').length % 2 === 1;
}

/** Every part runs in a shell of its own; the last one's status counts, with `pipefail` each one's. */
function walkPipeline(node: Pipeline, entry: Worlds, scope: Scope): Outcome {
  const [only, ...others] = node.commands;
  if (only !== undefined && others.length === 0) return walkNode(only, entry, scope);
  const everyCounts = isOn(scope.pipefail, entry);
  let outcome: Outcome = { success: entry, failure: NEVER };
  node.commands.forEach((command, index) => {
    const own = subshell(scope);
    const part = withLeavers(walkNode(command, entry, own), own.frame);
    const before = everyCounts ? outcome.success : afterwards(outcome);
    const anyway = afterwards(part);
    outcome = {
      success: both(before, part.success),
      failure:
        everyCounts && index > 0
          ? either(both(before, part.failure), both(outcome.failure, anyway))
          : both(before, part.failure),
    };
  });
  return outcome;
}

function walkNode(node: CommandNode, entry: Worlds, scope: Scope): Outcome {
  switch (node.type) {
    case 'Command':
      return walkCommand(node, entry, scope);
    case 'Redirected':
      return walkCompound(node.command, openFiles(node.redirects, entry, scope), scope);
    case 'Function':
      scope.functions = new Map([...scope.functions, [node.name.text, node.body]]);
      return { success: entry, failure: NEVER };
    case 'Coproc': {
      const own = subshell(scope);
      if (node.body.type === 'Command') walkCommand(node.body, entry, own);
      else walkBody(node.body, entry, own);
      return { success: entry, failure: NEVER };
    }
    default:
      return walkCompound(node, entry, scope);
  }
}

function walkBody(body: FunctionBody, entry: Worlds, scope: Scope): Outcome {
  if (!spend(scope.trace)) return { success: NEVER, failure: NEVER };
  if (body.type === 'CompoundList') return walkList(body.commands, entry, scope);
  if (body.type === 'Redirected')
    return walkCompound(body.command, openFiles(body.redirects, entry, scope), scope);
  return walkCompound(body, entry, scope);
}
