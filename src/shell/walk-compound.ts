import type { Case, CompoundCommand, CompoundList, For, If, Select } from 'unbash';
import { constantOf, type Word } from './command';
import { frameIn, type Scope, subshell, withLeavers } from './scope';
import { runSubstitutions } from './substitutions';
import { assign } from './variables';
import { expandWord } from './words';
import {
  afterwards,
  either,
  NEVER,
  type Outcome,
  passedBy,
  succeeded,
  together,
  type Worlds,
} from './worlds';

const MOST_ROUNDS = 12;

export function walkCompound(node: CompoundCommand, entry: Worlds, scope: Scope): Outcome {
  switch (node.type) {
    case 'Subshell': {
      const own = subshell(scope);
      return withLeavers(scope.walkList(node.body.commands, entry, own), own.frame);
    }
    case 'BraceGroup':
      return scope.walkList(node.body.commands, entry, scope);
    case 'If':
      return walkIf(node, entry, scope);
    case 'For':
    case 'Select':
      return walkFor(node, entry, scope);
    case 'While':
      return walkLoop(node.clause, node.body, node.kind === 'until', entry, scope);
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update]) {
        if (part !== undefined) runSubstitutions(part, entry, scope);
      }
      forgetNames(undefined, scope);
      return walkLoop(undefined, node.body, false, entry, scope);
    case 'Case':
      return walkCase(node, entry, scope);
    case 'TestCommand':
      runSubstitutions(node, entry, scope);
      return { success: entry, failure: entry };
    case 'ArithmeticCommand':
      runSubstitutions(node, entry, scope);
      forgetNames(node.body, scope);
      return { success: entry, failure: entry };
  }
}

function walkIf(node: If, entry: Worlds, scope: Scope): Outcome {
  const ends: Outcome[] = [];
  let from = entry;
  for (const { clause, then } of [node, ...node.elif]) {
    const test = walkTested(clause, from, scope);
    const first = scope.trace.nextStep;
    ends.push(scope.walkList(then.commands, test.success, scope));
    from = passedBy(test.failure, first, scope.trace.nextStep);
  }
  ends.push(
    node.else === undefined
      ? { success: from, failure: NEVER }
      : scope.walkList(node.else.commands, from, scope),
  );
  return anyOf(ends);
}

function walkTested(list: CompoundList, entry: Worlds, scope: Scope): Outcome {
  scope.tested++;
  const outcome = scope.walkList(list.commands, entry, scope);
  scope.tested--;
  return outcome;
}

function anyOf(ends: readonly Outcome[]): Outcome {
  return {
    success: either(...ends.map((end) => end.success)),
    failure: either(...ends.map((end) => end.failure)),
  };
}

function walkCase(node: Case, entry: Worlds, scope: Scope): Outcome {
  runSubstitutions(node.word, entry, scope);
  const ends: Outcome[] = [{ success: entry, failure: NEVER }];
  let from = entry;
  for (const item of node.items) {
    const first = scope.trace.nextStep;
    ends.push(scope.walkList(item.body.commands, from, scope));
    const skipped = passedBy(entry, first, scope.trace.nextStep);
    // With `;&` the next body also runs after this one.
    from = item.terminator === ';;' || item.terminator === undefined ? skipped : entry;
  }
  return anyOf(ends);
}

/** A constant list is walked word by word; any other list like a loop of unknown length. */
function walkFor(node: For | Select, entry: Worlds, scope: Scope): Outcome {
  for (const word of node.wordlist ?? []) runSubstitutions(word, entry, scope);
  const words = node.wordlist?.flatMap((word) => expandWord(word, entry, scope)) ?? [
    ...(scope.positional ?? UNTOLD),
  ];
  const isConstant = words.every((word) => word.kind === 'known') && words.length <= MOST_ROUNDS;
  if (node.type === 'Select' || !isConstant) {
    assign(scope, scope.trace.nextStep++, node.name.text, undefined);
    return walkLoop(undefined, node.body, false, entry, scope);
  }
  return walkRounds(node, words, entry, scope);
}

const UNTOLD: readonly Word[] = [{ kind: 'unknown', text: '$@' }];

function walkRounds(node: For, words: readonly Word[], entry: Worlds, scope: Scope): Outcome {
  const outer = scope.frame;
  const frame = frameIn(outer, 'loop');
  scope.frame = frame;
  let outcome: Outcome = { success: entry, failure: NEVER };
  for (const word of words) {
    const step = scope.trace.nextStep++;
    assign(scope, step, node.name.text, constantOf(word));
    const from = either(afterwards(outcome), together(frame.success));
    outcome = scope.walkList(node.body.commands, succeeded(from, step), scope);
  }
  scope.frame = outer;
  return withLeavers(outcome, frame);
}

/** Walked twice, so that a second round starts from what the first has changed. */
function walkLoop(
  clause: CompoundList | undefined,
  body: CompoundList,
  until: boolean,
  entry: Worlds,
  scope: Scope,
): Outcome {
  const outer = scope.frame;
  const frame = frameIn(outer, 'loop');
  scope.frame = frame;
  scope.loops++;
  let ends: Worlds = NEVER;
  let from = entry;
  for (let round = 0; round < 2; round++) {
    const test = clause === undefined ? { success: from, failure: from } : walkTested(clause, from, scope);
    ends = together([...ends, ...(until ? test.success : test.failure)]);
    const after = scope.walkList(body.commands, until ? test.failure : test.success, scope);
    from = together([...afterwards(after), ...frame.success]);
  }
  scope.loops--;
  scope.frame = outer;
  const end = together([...ends, ...from, ...frame.success]);
  return { success: end, failure: end };
}

/** Arithmetic may assign; whichever variable it mentions is no longer known. */
function forgetNames(text: string | undefined, scope: Scope): void {
  for (const name of scope.variables.keys()) {
    if (text === undefined || text.includes(name)) assign(scope, scope.trace.nextStep++, name, undefined);
  }
}
