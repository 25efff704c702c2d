/*
 * Finds orders and claims in a prompt to the orchestrator, which acts on them. A clause has to begin with the
 * order: "advance" counts, "advanced options" and a gate in a file name do not. A prompt to any other agent
 * is prose, where an order cannot be told from a sentence about one.
 */

/** The names of the phases before the current one, of the current one, and of those after it. */
export interface PhaseNames {
  readonly past: readonly string[];
  readonly current: readonly string[];
  readonly later: readonly string[];
}

/** The phases as people write them: with the number, without it, and in plain words. */
export function phaseNameVariants(phases: readonly string[]): readonly string[] {
  return phases.flatMap((phase) => {
    const name = plainWords(phase);
    const bare = name.replace(/^[0-9a-z]{2}-/, '');
    return [name, bare, ...(bare === 'cicd' ? ['ci/cd'] : [])];
  });
}

/* A space in a pattern stands for any white space character. `_` joins words in a list. */
const oneOf = (words: string): string => `(?:${words.trim().split(/\s+/).join('|').replaceAll('_', ' ')})`;

const SELF = `${oneOf("you we i it this workflow let's let_us")}(?:'ll|'re|'m| (?:can|may|should|must|shall|will|could|would))?`;
const WISH = `${oneOf(`ready time you us want need like have free safe ok okay cleared permission allowed going able
  workflow is`)} to`;
const JOINING = oneOf('and then or but please kindly now just also finally afterwards so ahead');
const BEGIN = `(^|[.!?;:,=()\\n]|\\b(?:${JOINING}|${WISH}|${SELF})\\b)\\s*`;
const CLOSED = '(?= *(?:$|[!?;:,)\\n]|\\.(?!\\w))| (?:and|then|now|immediately|anyway|regardless|please)\\b)';
const WHOLE = '(?![\\w/-]|\\.\\w)';
const DONE = `${oneOf('complete completed done finished')}${WHOLE}`;
/** Captures what follows, which is checked separately: it must be a phase or a gate. */
const REST = '(?=(?:the )?([^]{1,60}))';
const NEXT = `${oneOf('next following subsequent upcoming')} (?:phase|stage)`;
const SOME_WORDS = '(?:[\\w-]+ ){0,4}?';
const CHECK = oneOf('validation check review approval evaluation assessment');
const CALL = `(?:${oneOf('run execute call invoke use issue do')} (?:the )?)?`;

const GOING =
  oneOf(`advance proceed move go continue progress skip jump transition switch step head shift press push
  forge fast_forward roll promote take bring get carry pass hand leap turn set change update bump submit send
  present delegate spawn dispatch give handoff handover on onward
  onwards ready time is_ready are_ready is_time 's_time 're_ready is_now_ready are_now_ready`);
const MAKING = `(?:${oneOf('perform initiate make do begin start trigger execute')} (?:the |a )?)?`;
const TOWARDS = oneOf('to into onto past through beyond toward towards for');
const STARTING =
  oneOf(`start begin enter initiate launch commence open kick_off trigger activate run execute do perform
  schedule assign delegate spawn unlock`);
const CONTINUING = oneOf(`proceed continue carry_on go_on go_ahead move_on get_started get_going resume`);
const LEAVING =
  oneOf(`transition close_out close conclude wrap_up end exit leave sign_off_on sign_off skip finalize finalise bump
  increment`);
const PASSING =
  oneOf(`pass open validate check run evaluate clear request trigger perform execute do start initiate begin
  invoke conduct kick_off launch carry_out approve unlock lift cross bypass skip override force attempt try call process
  assess verify complete schedule activate take treat have consider`);
/** Words that order something other than going to the next phase, or that ask, forbid or report it. */
const OTHER_WORK =
  oneOf(`plan prepare describe explain list report tell show summarize summarise estimate document read
  check review identify name draft write outline discuss think see consider note fix update add
  hold wait stop stay pause delay postpone defer block avoid keep
  what which how why whether who not no never don't cannot can't won't without until unless before
  is are was does has had the a an for of in about during from at by as`);

/** What a clause may begin with, by the check that the captured words have to pass. */
const PATTERNS = {
  anyway: [
    `(?<!\\bin )${CALL}advance(?: command|\\(\\))?(?:${CLOSED}|(?= --))`,
    '(?:next|gate|gate[ -]\\d+)(?=\\W*$)',
    `${oneOf('proceed press_on skip_ahead move_on move_forward move_ahead move_along')}(?! (?:and|then|please))${CLOSED}`,
    `(?:on(?:wards?)? (?:to )?)?(?:the )?${NEXT}${CLOSED}`,
    `(?:(?!${OTHER_WORK} )[\\w'-]+ ){1,5}?(?:the )?${NEXT}(?! (?:is|are|will|was|has|needs)\\b)${WHOLE}`,
    `${CALL}(?:npx )?(?:holdpoint )?flow advance`,
    `${CALL}/?i?sdlc (?:advance|gate|next|proceed)${WHOLE}`,
    `${oneOf('action command mode operation intent request task type')} ?[:=] ?(?:proceed|next|gate)(?: \\w+)?${CLOSED}`,
    `(?:hand|pass) (?:it |this |things )?(?:off|over)(?! (?:and|then))${CLOSED}`,
  ],
  toPhase: [
    `${MAKING}${GOING} (?!back )${SOME_WORDS}${TOWARDS} ${REST}`,
    `(?:advance|progress) (?:(?:this|our|from|us) )*${REST}`,
  ],
  ofPhase: [
    `${STARTING} (?:with |on )?${REST}`,
    `${CONTINUING} (?:with|on|at|from) ${REST}`,
    `(?:\\w+ ){0,2}(?:phase|target|to) ?[:=] ?${REST}`,
  ],
  fromPhase: [
    `${LEAVING} (?:this |our |current )*${REST}`,
    `${oneOf('advance proceed move_on move go get skip')} ${oneOf('past through beyond from out_of')} ${REST}`,
  ],
  gate: [
    `(?=(gate ${CHECK}[^]{0,60}))`,
    `${PASSING} (?:(?:the|a|our|this|current|exit|phase|quality) (?!transition|advancement))*${REST}`,
  ],
  declared: [`${oneOf('declare mark set flag record call consider')} (${SOME_WORDS})(?:(?:as|to) )?${DONE}`],
  claimed: [`((?:[\\w-]+ ){1,4}?)(?:(?:is|are|has been) )?(?:now |all )?${DONE}`],
  ready: [
    `(?:(?:we are|it is|this is|is|are) )?ready for (?:the )?gate${WHOLE}`,
    `(?:${oneOf('run do perform trigger')} )?(?:the )?gate validation${WHOLE}`,
    'submit (?:\\S+ ){0,3}for review',
    'finali[sz]e (?:the |all )?artifacts',
  ],
};

type Kind = keyof typeof PATTERNS;

/** With one of these before the order, a clause asks, forbids or reports, and orders nothing. */
const NO_ORDER =
  /\b(?:not|never|don't|cannot|can't|won't|without|before|until|unless|why|how|whether|what|when|once|if)\b/;
const NO_CLAIM =
  /\b(?:not|never|isn't|until|unless|when|once|if|after|before|whether|ensure|make|without|how|why)\b/;

/** Whether the text is an order to leave the phase. */
export function ordersToAdvance(text: string, { past, current, later }: PhaseNames): boolean {
  const others = [...past, ...later];
  const all = [...others, ...current];
  const orders = (kind: Kind, isMeant: (words: string) => boolean): boolean =>
    finds(text, kind, NO_ORDER, isMeant);
  return (
    orders('anyway', () => true) ||
    orders('toPhase', (target) => isPhase(target, others, current) || ONWARD.test(target)) ||
    orders('ofPhase', (target) => isPhase(target, others, current)) ||
    orders('fromPhase', (target) => LEFT.test(target) || isPhase(target, all, [])) ||
    orders('gate', (target) => isGate(target, all)) ||
    orders('declared', (subject) => subject === '' || isSubject(subject, all))
  );
}

/** Whether the text claims that a phase is complete; an earlier phase does not count, as it may well be. */
export function claimsCompletion(text: string, { past, current, later }: PhaseNames): boolean {
  const usual = ['implementation', 'testing'].filter((name) => !past.includes(name));
  const names = [...current, ...later, ...usual];
  const claims = (kind: Kind, isMeant: (words: string) => boolean): boolean =>
    finds(text, kind, NO_CLAIM, isMeant);
  return (
    claims('ready', () => true) ||
    claims('declared', (subject) => subject === '' || isSubject(subject, names)) ||
    claims('claimed', (subject) => isSubject(subject, names))
  );
}

const TO_NEXT = `${oneOf('advance proceed progress move move_on go_on skip')} (?:to|into) (?:the )?(?:next phase|gate)`;
const NOTHING_ELSE = `(?:proceed|move on)(?: now)?\\W*$`;
const FIRST = `(?:advance|${TO_NEXT}|hand off to the next agent)(?: now)?(?:\\W*$|[.!;,\\n]| (?:and|then)\\b)`;
const OPENING = pattern(`^(?:please )?(?:${NOTHING_ELSE}|${FIRST})`);

/** Whether the text begins with an order to advance. "Proceed" alone is one, "proceed and fix it" is not. */
export function opensWithAnOrder(text: string): boolean {
  return OPENING.test(plainWords(text));
}

/** Excludes "of the refactoring plan" and the like: phases of something other than the workflow. */
const OF_ELSE = '(?! of (?!the (?:sdlc|workflow)))';
const ONWARD = pattern(
  `^(?:next (?:step|agent)${CLOSED}|(?:workflow|sdlc)${WHOLE}|gate(?:[ -]?\\d\\w*)?${WHOLE})`,
);
const LEFT = pattern(`^(?:phase|stage|workflow)(?: index)?${OF_ELSE}${CLOSED}`);
/** What may follow the name of a phase: another word would make it the name of something else. */
const CLOSES = pattern(
  `^(?: (?:phase|stage|step|agent|team))?${OF_ELSE}(?:${CLOSED}|(?= ${oneOf('using by with when once since because if for of')}\\b))`,
);
const NEXT_PHASE = pattern(`^(?:(?:${NEXT}|next gate)${WHOLE}|next(?: one)?${CLOSED})`);
const PHASE_NUMBER = pattern(`^phase (\\d{1,2})(?![\\w-])${OF_ELSE}`);
/** "the QA phase": an unknown phase counts as another one. */
const SOME_PHASE = pattern(`^((?:[\\w/-]+ ){0,2}?)(?:phase|stage)(?! \\w)${WHOLE}${OF_ELSE}`);
const NO_OTHER = /\b(?:current|this|same|first|each|every|that)\b/;

/** Whether the text names a phase other than `except`: by name, by number, or as an unknown phase. */
function isPhase(target: string, names: readonly string[], except: readonly string[]): boolean {
  const bare = target.replace(/^phase:? (?=\D|\d\d-)/, '');
  const isNamed = (name: string): boolean => bare.startsWith(name) && CLOSES.test(bare.slice(name.length));
  if (NEXT_PHASE.test(target)) return true;
  if (except.some(isNamed)) return false;
  const number = PHASE_NUMBER.exec(target)?.[1]?.padStart(2, '0');
  if (number !== undefined) {
    const isNumbered = (name: string): boolean => name.startsWith(`${number}-`);
    return names.some(isNumbered) && !except.some(isNumbered);
  }
  const some = SOME_PHASE.exec(target)?.[1];
  return names.some(isNamed) || (some !== undefined && !NO_OTHER.test(some));
}

const THE_GATE = pattern(`^gate(?:[ -]?\\d\\w*)?(?: ${CHECK})?${WHOLE}`);
const GATE_ONLY = pattern(
  `^(?: open| validated|(?: as)? passed)?(?:${CLOSED}|(?= (?:without|despite|even|because|since|although)\\b))`,
);
const GATE_OF = /^ (?:for|of|on|to) (?:the |this |our |current )*/;
const OWN = pattern(`^(?:${oneOf('phase stage workflow feature fix next')}|gate(?:[ -]?\\d\\w*)?)${WHOLE}`);

/** A phase transition, or `gate`, `gate-06`, `gate check`, alone or with the phase it belongs to. */
function isGate(target: string, names: readonly string[]): boolean {
  if (/^phase (?:transition|advancement)\b/.test(target)) return true;
  const found = THE_GATE.exec(target)?.[0];
  if (found === undefined) return false;
  const rest = target.slice(found.length);
  const whose = GATE_OF.exec(rest)?.[0];
  const phase = rest.slice(whose?.length);
  return GATE_ONLY.test(rest) || (whose !== undefined && (OWN.test(phase) || isPhase(phase, names, [])));
}

/** `the implementation phase`, `phase 06`, or `everything`. */
function isSubject(text: string, names: readonly string[]): boolean {
  const words = text.trim().replace(/^(?:the|this|our) | status$/g, '');
  if (['all work', 'everything', ...names].includes(words)) return true;
  const unnumbered = words.replace(/ ?\b(?:current )?phase\b ?/, ' ').replace(/\b\d+\b/, '');
  const bare = unnumbered.trim();
  return bare === '' ? words.includes('phase') : names.includes(bare);
}

/** Lower case, without emphasis marks and quotes; splits words joined by a dash or an underscore. */
function plainWords(text: string): string {
  const lower = text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll('’', "'");
  const words = lower.replace(/(?<=[a-z])[-_](?=[a-z])/g, ' ');
  const ordered = words
    .replace(/\b(advanc|mov|continu)ing\b/g, '$1e')
    .replace(/\b(proceed|start|enter)ing\b/g, '$1');
  const unmarked = ordered.replace(/[*`"#_[\]|]|(?<!\w)'|'(?!\w)/g, ' ');
  const parted = unmarked.replace(/[<>{}]|(?<=^|\s)[-–—→•+]+(?=\s)|[–—→•]/g, ',');
  // Collapse white space: the patterns would take far too long on long runs of it.
  return parted
    .replace(/[^\S\n]+/g, ' ')
    .replace(/\n\s+/g, '\n')
    .trim();
}

function pattern(text: string, flags = ''): RegExp {
  return new RegExp(text.replaceAll(' ', '\\s'), flags);
}

/** How far back to look for the beginning of a clause. */
const CLAUSE_LENGTH = 300;

function finds(text: string, kind: Kind, excluded: RegExp, isMeant: (words: string) => boolean): boolean {
  const plain = plainWords(text);
  const clauses = pattern(`${BEGIN}(?:${PATTERNS[kind].join('|')})`, 'g');
  for (let found = clauses.exec(plain); found !== null; found = clauses.exec(plain)) {
    const [, begin = '', ...groups] = found;
    const before = plain.slice(Math.max(0, found.index - CLAUSE_LENGTH), found.index) + begin;
    const clause = before.split(/[.!?;:,\n]|\bthen\b/).at(-1) ?? '';
    const words = groups.find((group) => group !== undefined) ?? '';
    if (isMeant(words) && !excluded.test(clause)) return true;
    // The next clause may begin inside this match: "and then the phase is complete".
    clauses.lastIndex = found.index + 1;
  }
  return false;
}
