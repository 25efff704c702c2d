import { advanceAttempt, completionClaim } from '../attempts';
import { elsewhereText, type Facts, holdFinding, holdHeading, noteFinding, type Rule } from '../facts';
import {
  approvalCommand,
  constitutionCommand,
  type GateCase,
  gateNeedsTests,
  type Missing,
  mismatchText,
  missingFor,
  missingLine,
  otherPhaseAt,
  triggersOf,
  waivedIn,
} from '../gate';
import { gateOf, workflowNamed } from '../model';
import { usesIsdlcDir } from '../place';
import {
  constitutionEvidence,
  escalation,
  gateBlocked,
  isEnforced,
  openConstitution,
  testEvidence,
  trigger,
} from '../state';

function waiver(phase: string): string {
  return `a person, with \`${approvalCommand(phase)}\``;
}

function waiverLine(phase: string): string {
  return `A person can waive this with \`${approvalCommand(phase)}\`.`;
}

/** Holds attempts to leave a phase while its tests fail or the constitution is being checked. */
export const iterationCorridor: Rule = (facts) => {
  const { phase } = facts;
  const attempt = phase && advanceAttempt(facts, true);
  const open = attempt && (testsFailing(facts, phase) ?? constitutionOpen(facts, phase));
  if (!open) return undefined;
  const waive = waiver(phase);
  const [first, ...more] = open.status;
  const text = [
    `${holdHeading(facts, 'iteration-corridor', 'ITERATION CORRIDOR')} ${first}`,
    ...more,
    ...(usesIsdlcDir(facts.place) ? [`Blocked action: ${attempt.tool} (${attempt.words})`] : []),
    `Next: ${open.next}`,
    waiverLine(phase),
  ].join('\n');
  const note = escalation('corridor_blocked', 'iteration-corridor', phase, text, facts.ctx.now);
  return { weight: 'deny', text, fact: open.fact, waive, onRefusal: [note] };
};

function testsFailing({ state, place, asked: { tests } }: Facts, phase: string) {
  const seen = testEvidence(state, phase);
  const mustPass = tests?.reportOnly === false && !waivedIn(state, phase).includes('test_iteration');
  if (!mustPass || seen?.lastResult !== 'failed' || seen.status === 'escalated') return undefined;
  const rounds = `${seen.failures || 1}/${seen.maxIterations ?? tests.maxIterations}`;
  const error = seen.lastError?.slice(0, 300) ?? 'unknown';
  const command = seen.lastCommand ?? 'unknown';
  return {
    fact: `the tests of ${phase} fail`,
    status: [
      `the tests of phase '${phase}' fail (iteration ${rounds}), so it cannot end yet.`,
      ...(usesIsdlcDir(place)
        ? [`Last error: ${error}`, `Last test command: ${command}`]
        : [`Last error of \`${command}\`: ${error}`]),
    ],
    next: 'fix the failing tests and run them again. You may delegate the fix, but not the next phase.',
  };
}

function constitutionOpen({ state, asked: { tests: asked, constitution } }: Facts, phase: string) {
  const tests = testEvidence(state, phase);
  const isPassed = tests?.completed === true && (tests.status !== 'escalated' || tests.approved);
  const isTested = asked === undefined || isPassed;
  const seen = constitutionEvidence(state, phase);
  const isOpen = seen ? !seen.completed && seen.status !== 'escalated' : tests?.completed === true;
  const isWaived = waivedIn(state, phase).includes('constitutional_validation');
  if (constitution === undefined || isWaived || !isTested || !isOpen) return undefined;
  const rounds = `${seen?.iterationsUsed ?? 0}/${seen?.maxIterations ?? constitution.maxIterations}`;
  return {
    fact: `${phase} has not been checked against the constitution`,
    status: [
      `phase '${phase}' has not been checked against the constitution.`,
      `Articles [${constitution.articles.join(', ')}]`,
      `Status: ${seen?.status ?? 'not started'} (iteration ${rounds})`,
    ],
    next: `check the work against each article, then run \`${constitutionCommand(constitution.articles)}\`.`,
  };
}

/** Holds claims that a phase is complete before it has been checked against the constitution. */
export const constitutionValidator: Rule = (facts) => {
  const { state, phase, ctx, asked } = facts;
  if (!phase || !asked.constitution || completionClaim(facts) === undefined) return undefined;
  const { articles, maxIterations } = asked.constitution;
  const seen = constitutionEvidence(state, phase);
  const isCompliant =
    seen?.completed === true && seen.status === 'compliant' && (seen.iterationsUsed ?? 1) >= 1;
  if (isCompliant || (seen?.status === 'escalated' && seen.approved)) return undefined;
  const text = [
    `${holdHeading(facts, 'constitution-validator', 'PHASE COMPLETION BLOCKED')} phase '${phase}' has not been checked against the constitution.`,
    `Articles [${articles.join(', ')}]`,
    `Status: ${seen?.status ?? 'pending'}, Iteration ${seen?.iterationsUsed ?? 0}/${seen?.maxIterations ?? maxIterations}`,
    `Next: check the work against each article, then run \`${constitutionCommand(articles)}\`.`,
    waiverLine(phase),
  ].join('\n');
  return {
    weight: 'deny',
    text,
    fact: `${phase} has not been checked against the constitution`,
    clear: constitutionCommand(articles),
    waive: waiver(phase),
    onRefusal: [
      openConstitution(phase, asked.constitution, ctx.now),
      escalation('constitution_blocked', 'constitution-validator', phase, text, ctx.now),
    ],
  };
};

/** Holds attempts to leave a phase before its gate's requirements are satisfied. */
export const gateBlocker: Rule = (facts) => {
  const gate = attemptedGate(facts);
  if (gate === undefined) return undefined;
  const { phase } = gate;
  const { model, workflow, ctx, phases } = facts;
  const index = workflow?.index ?? -1;
  const expected = phases.length === 0 ? undefined : otherPhaseAt(model, phases, workflow?.index, phase);
  if (expected !== undefined) {
    const next = 'Next: `holdpoint flow status` shows both; `holdpoint flow rollback PHASE` corrects them.';
    const fact = `phase ${index} of the workflow is ${expected}, the state says ${phase}`;
    return holdFinding(fact, 'holdpoint flow status', mismatchText(expected, index, phase), next);
  }
  const lacks = missingFor(gate);
  if (lacks.length === 0) {
    const records = triggersOf(gate).map((one) => trigger(one.trigger, phase, ctx.now));
    return records.length === 0 ? undefined : noteFinding(`the gate of ${phase} is open`, ...records);
  }
  const names = lacks.map(({ what }) => what).join(', ');
  const elsewhere = workflow && elsewhereText(workflow, ctx.git);
  const lines = usesIsdlcDir(facts.place) ? oldGateLines(phase, lacks) : gateLines(phase, lacks);
  const text = [...lines, ...(elsewhere === undefined ? [] : [elsewhere])].join('\n');
  return {
    weight: workflowNamed(model, workflow?.type)?.gateMode === 'permissive' ? 'warn' : 'deny',
    text,
    fact: `${phase} lacks ${names}`,
    clear: lacks[0]?.how ?? '',
    waive: waiver(phase),
    onRefusal: [
      gateBlocked(phase, lacks, ctx.now),
      escalation('gate_blocked', 'gate-blocker', phase, text, ctx.now),
    ],
  };
};

/** In iSDLC's wording, which scripts look for. */
function oldGateLines(phase: string, lacks: readonly Missing[]): readonly string[] {
  return [
    `GATE BLOCKED: Iteration requirements not satisfied for phase '${phase}'.`,
    `Blocking requirements: ${lacks.map(({ what }) => what).join(', ')}`,
    ...lacks.map(missingLine),
  ];
}

const LACKS_TOLD = 3;

function gateLines(phase: string, lacks: readonly Missing[]): readonly string[] {
  const more = lacks.length - LACKS_TOLD;
  const byPerson = lacks.filter(({ how }) => how.includes(approvalCommand(phase)));
  const waive = byPerson.length > 0 ? [] : [waiverLine(phase)];
  const last = byPerson.length === lacks.length ? ['Tell the user, and stop.'] : waive;
  return [
    `Held by gate-blocker: ${gateOf(phase)} is closed, because ${phase} still needs:`,
    ...lacks.slice(0, LACKS_TOLD).map(missingLine),
    ...(more > 0 ? [`${more} more: \`holdpoint flow status\` lists everything.`] : last),
  ];
}

/** Whether the git tree is needed to judge the gate. */
export function gateWantsTree(facts: Facts): boolean {
  const gate = attemptedGate(facts);
  if (gate === undefined || !gateNeedsTests(gate.model, gate.state)) return false;
  return testEvidence(gate.state, gate.phase)?.tree !== undefined;
}

function attemptedGate(facts: Facts): GateCase | undefined {
  const { state, model, phase, tree } = facts;
  const isAttempt = phase !== undefined && isEnforced(state) && advanceAttempt(facts, false) !== undefined;
  return isAttempt ? { model, state, phase, tree } : undefined;
}
