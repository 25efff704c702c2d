import { type Call, record } from './call';
import { constantOf, textOf } from './command';
import { type Frame, leave, nearestFrame, type Scope } from './scope';
import { changed } from './timeline';
import { assign, assignmentIn, isName } from './variables';
import { NEVER, type Outcome, type Worlds } from './worlds';

type Builtin = (call: Call, entry: Worlds, scope: Scope) => Outcome;

const DECLARATIONS = ['export', 'declare', 'typeset', 'local', 'readonly'];
const FORGETTERS = ['read', 'unset', 'mapfile', 'readarray', 'getopts', 'let', 'printf'];

/** The builtins that change variables, modes or the flow of the line; `undefined` for every other command. */
export function builtinNamed(name: string): Builtin | undefined {
  if (DECLARATIONS.includes(name)) return declare;
  if (FORGETTERS.includes(name)) return forget;
  switch (name) {
    case 'set':
      return setModes;
    case 'exit':
    case 'return':
      return leaveShell;
    case 'break':
    case 'continue':
      return leaveLoop;
    case 'true':
    case ':':
      return (call, entry, scope) => ({ ...record(call, entry, scope), failure: NEVER });
    case 'false':
      return (call, entry, scope) => ({ ...record(call, entry, scope), success: NEVER });
    default:
      return undefined;
  }
}

function declare(call: Call, entry: Worlds, scope: Scope): Outcome {
  const { step, success, failure } = record(call, entry, scope);
  let assigns = false;
  for (const word of call.words.slice(1)) {
    const assignment = assignmentIn(word);
    if (assignment === undefined) continue;
    assigns = true;
    assign(scope, step, assignment.name, constantOf(assignment.value));
  }
  // Declaring with a value succeeds even where the value comes from a failing substitution.
  return { success, failure: assigns ? NEVER : failure };
}

/** Their values come from elsewhere, so whatever name they mention is no longer known. */
function forget(call: Call, entry: Worlds, scope: Scope): Outcome {
  const { step, success, failure } = record(call, entry, scope);
  for (const word of call.words.slice(1)) {
    const name = textOf(word).split('=', 1)[0] ?? '';
    if (isName(name) && scope.variables.has(name)) assign(scope, step, name, undefined);
  }
  return { success, failure };
}

function setModes(call: Call, entry: Worlds, scope: Scope): Outcome {
  const { step, success } = record(call, entry, scope);
  const args = call.words.slice(1).map(textOf);
  args.forEach((text, index) => {
    const on = text.startsWith('-');
    if (!on && !text.startsWith('+')) return;
    const named = text.endsWith('o') ? args[index + 1] : undefined;
    if (text.includes('e') || named === 'errexit') scope.errexit = changed(scope.errexit, step, [on]);
    if (named === 'pipefail') scope.pipefail = changed(scope.pipefail, step, [on]);
  });
  if (args.length > 0 && args.every((text) => !text.startsWith('-') && !text.startsWith('+')))
    scope.positional = undefined;
  return { success, failure: NEVER };
}

function leaveShell(call: Call, entry: Worlds, scope: Scope): Outcome {
  const isReturn = constantOf(call.words[0]) === 'return';
  const { success } = record(call, entry, scope);
  const status = constantOf(call.words[1]);
  leave(nearestFrame(scope.frame, isReturn ? ['function', 'shell'] : ['shell']), {
    success: status === undefined || status === '0' ? success : NEVER,
    failure: status === '0' ? NEVER : success,
  });
  return { success: NEVER, failure: NEVER };
}

function leaveLoop(call: Call, entry: Worlds, scope: Scope): Outcome {
  const { success } = record(call, entry, scope);
  for (let frame: Frame | undefined = scope.frame; frame?.kind === 'loop'; frame = frame.parent) {
    leave(frame, { success, failure: NEVER });
  }
  return { success: NEVER, failure: NEVER };
}
