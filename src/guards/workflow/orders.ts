/*
 * Finds orders and claims in a prompt to the orchestrator, so that it is told at once what is missing; the commands
 * that it would run are held anyway. A clause has to begin with the order: "advance" counts, "advanced options" and
 * a gate in a file name do not. A prompt to any other agent is prose, where an order cannot be told from a sentence
 * about one.
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

/** Words separated by white space, as alternatives; `_` joins words to one. */
const oneOf = (words: string): string => `(?:${words.trim().split(/\s+/).join('|').replaceAll('_', ' ')})`;

const SENTENCE_END = /[!?;:,=()\n]|\.(?!\w)|\bthen\b/;
const SELF = `${oneOf("you we i it this workflow let's let_us")}(?:'ll|'re|'m| ${oneOf('can may should must shall will could would')})?`;
const WISH = `${oneOf('ready time you us want need have free safe ok okay cleared permission allowed able workflow')} to`;
const JOINING = oneOf('and or but please kindly now just also finally afterwards so ahead');
const BEGINNINGS = new RegExp(`\\b(?:${JOINING}|${WISH}|${SELF})\\b`, 'g');

/** With one of these before it, a clause asks, forbids or reports, and orders nothing. */
const NO_ORDER =
  /\b(?:not|never|don't|cannot|can't|won't|without|before|until|unless|why|how|whether|what|when|once|if|back)\b/;
const NO_CLAIM =
  /\b(?:not|never|isn't|until|unless|when|once|if|after|before|whether|ensure|make|without|how|why)\b/;

/** What may follow a phase or an order: another word would make it something else. */
const END =
  '(?= *$| (?:now|immediately|anyway|regardless|please|and|with|when|once|since|because|if|without|despite)\\b)';
/** Excludes "of the refactoring plan" and the like: phases of something other than the workflow. */
const OF_ELSE = '(?! of (?!the (?:sdlc|workflow)))';
const DONE = oneOf('complete completed done finished');
const PHASE = '(?:phase|stage)';

/** Orders in themselves. */
const ORDER = new RegExp(
  `^(?:${[
    `(?:${oneOf('run execute call invoke use issue do')} (?:the )?)?advance(?: command|\\(\\)| --\\w+)?${END}`,
    `${oneOf('proceed press_on skip_ahead move_on move_forward move_ahead move_along')}(?= *$| (?:now|immediately|anyway|regardless)\\b)`,
    `(?:run )?(?:npx )?(?:holdpoint )?flow advance`,
    `(?:\\w+ )?/?i?sdlc (?:advance|gate|next|proceed)\\b`,
    `(?:advance|progress) (?:(?:the|this|our) )?${oneOf('phase stage workflow sdlc')}(?: state| index)?${OF_ELSE}${END}`,
    `(?:hand|pass) (?:it |this |things )?(?:off|over)${END}`,
    `gate(?:[ -]?\\d+)?(?= *$)`,
  ].join('|')})`,
);

/** What an order to enter a phase or to pass a gate begins with. */
const ENTERING = new RegExp(
  `^${oneOf(`advance proceed move go continue carry progress skip jump transition switch step head shift press push
  forge fast roll promote take bring get pass hand handoff handover leap turn set change update bump submit send
  present delegate spawn dispatch give on onto onward onwards ready start begin enter initiate launch commence open kick
  trigger activate run execute do perform schedule assign unlock resume pass validate clear evaluate request invoke
  conduct approve lift cross bypass override force attempt try call process assess verify complete treat have consider
  let make fire spin unblock graduate greenlight`)}\\b`,
);

/** What comes before a phase that is entered. */
const INTO =
  / ?(?:to|into|onto|towards?|start|begin|enter|launch|commence|kick off|skip|unlock|initiate)(?: the)?$/;

/** Phases that come later than this one, and its gate, as the object of an order. */
const NEXT = new RegExp(
  `^${oneOf('next following subsequent upcoming')} (?:${PHASE}(?! (?:is|are|will|was|has|needs)\\b)${OF_ELSE}|${oneOf('step agent one gate')}${END})|^(?:to (?:the )?|the )next${END}|^${PHASE} ${oneOf('transition advancement')}\\b`,
);
const GATE = new RegExp(
  `^gate(?:[ -]?\\d+)?(?: ${oneOf('validation check review approval evaluation assessment')})?(?: open| validated| as passed| passed)?(?:${END}| ${oneOf('for of on to')} (?:${oneOf('the this our current')} )*(?:[\\w-]+ )?(?:${oneOf('phase next')}|gate\\b|\\d))`,
);
const NUMBERED = new RegExp(`^phase (\\d{1,2})(?![\\w-])${OF_ELSE}`);
const SOME_PHASE = new RegExp(
  `^(?!${oneOf('the this our current same first each every that a go to')} )([\\w/-]+) ${PHASE}(?! ?[\\w-])`,
);
const CLOSES = new RegExp(
  `^(?: ${oneOf('phase stage step agent team')})?${OF_ELSE}(?:${END}| ${oneOf('using by for of')}\\b)`,
);

const DECLARED = new RegExp(
  `^${oneOf('declare mark set flag record call consider')} ((?:[\\w-]+ ){0,4}?)(?:(?:as|to) )?${DONE}(?![\\w/-])`,
);
const CLAIMED = new RegExp(`^((?:[\\w-]+ ){1,4}?)(?:(?:is|are|has been) )?(?:now |all )?${DONE}(?![\\w/-])`);
const READY =
  /^(?:(?:(?:we are|it is|this is|is|are) )?ready for (?:the )?gate(?![\w/-]|\.\w)|(?:(?:run|do|perform|trigger) )?(?:the )?gate validation(?![\w/-]|\.\w)|submit (?:\S+ ){0,3}for review|finali[sz]e (?:the |all )?artifacts)/;

/** How many words of an order to read for what it is about. */
const MOST_WORDS = 7;

/** Whether the text is an order to leave the phase. */
export function ordersToAdvance(text: string, names: PhaseNames): boolean {
  return clausesIn(text, NO_ORDER).some((clause) => {
    const enters = ENTERING.test(clause);
    if (ORDER.test(clause)) return true;
    const words = clause.split(/\s+/);
    const stop = words.findIndex((word) => NO_ORDER.test(word));
    const most = Math.min(stop < 0 ? words.length : stop, MOST_WORDS);
    const isTarget = (at: number): boolean => {
      const target = words.slice(at).join(' ');
      const isEntered = INTO.test(words.slice(0, at).join(' '));
      return GATE.test(target) || isOtherPhase(target, isEntered, names);
    };
    return (
      GATE.test(clause) || NEXT.test(clause) || (enters && words.slice(0, most).some((_, at) => isTarget(at)))
    );
  });
}

/** Whether the text claims that a phase is complete; an earlier phase does not count, as it may well be. */
export function claimsCompletion(text: string, { past, current, later }: PhaseNames): boolean {
  const names = [
    ...current,
    ...later,
    ...['implementation', 'testing'].filter((name) => !past.includes(name)),
  ];
  return clausesIn(text, NO_CLAIM).some(
    (clause) =>
      READY.test(clause) ||
      isDeclared(DECLARED.exec(clause)?.[1], names) ||
      isSubject(CLAIMED.exec(clause)?.[1] ?? 'nothing', names),
  );
}

const TO_NEXT = `${oneOf('advance proceed progress move move_on go_on skip')} (?:to|into) (?:the )?(?:next phase|gate)`;
const NOTHING_ELSE = `(?:proceed|move on)(?: now)?\\W*$`;
const FIRST = `(?:advance|${TO_NEXT}|hand off to the next agent)(?: now)?(?:\\W*$|[.!;,\\n]| (?:and|then)\\b)`;
const OPENING = new RegExp(`^(?:please )?(?:${NOTHING_ELSE}|${FIRST})`);

/** Whether the text begins with an order to advance. "Proceed" alone is one, "proceed and fix it" is not. */
export function opensWithAnOrder(text: string): boolean {
  return OPENING.test(plainWords(text));
}

/**
 * Whether the text begins with a phase other than the current one: by name, by number, or an unknown phase. Without
 * its number, a name is that of a phase only where one is entered.
 */
function isOtherPhase(text: string, isEntered: boolean, { past, current, later }: PhaseNames): boolean {
  if (NEXT.test(text)) return true;
  const others = [...past, ...later];
  const number = NUMBERED.exec(text)?.[1]?.padStart(2, '0');
  const isNumbered = (name: string): boolean => name.startsWith(`${number}-`);
  if (number !== undefined) return others.some(isNumbered) && !current.some(isNumbered);
  const bare = text.replace(/^phase (?=\d\d-)/, '');
  if (isNamed(bare, current)) return false;
  const some = SOME_PHASE.exec(text)?.[1];
  const meant = isEntered ? others : others.filter((name) => /^\w\d-/.test(name));
  return isNamed(bare, meant) || (some !== undefined && !current.includes(some));
}

function isNamed(text: string, names: readonly string[]): boolean {
  return names.some((name) => text.startsWith(name) && CLOSES.test(text.slice(name.length)));
}

function isDeclared(subject: string | undefined, names: readonly string[]): boolean {
  return subject === '' || (subject !== undefined && isSubject(subject, names));
}

/** `the implementation phase`, `phase 06`, or `everything`. */
function isSubject(text: string, names: readonly string[]): boolean {
  const words = text.trim().replace(/^(?:the|this|our) | status$/g, '');
  if (['all work', 'everything', ...names].includes(words)) return true;
  const unnumbered = words.replace(/ ?\b(?:current )?phase\b ?/, ' ').replace(/\b\d+\b/, '');
  const bare = unnumbered.trim();
  return bare === '' ? words.includes('phase') : names.includes(bare);
}

/** How much of a sentence to read before and after the beginning of a clause. */
const CLAUSE_LENGTH = 300;

/** The rest of each sentence from where an order may begin, unless an excluded word stands before it. */
function clausesIn(text: string, excluded: RegExp): string[] {
  return plainWords(text)
    .replace(/\b(?:phase|target|to) ?[:=]|\btime for\b|\bready for\b(?! (?:the )?gate)/g, '\ngo to ')
    .replace(/[:=] ?next\b(?! phase)/g, '\nnext phase')
    .split(SENTENCE_END)
    .flatMap((sentence) =>
      [0, ...[...sentence.matchAll(BEGINNINGS)].map(({ index, 0: begin }) => index + begin.length)]
        .filter((at) => !excluded.test(sentence.slice(Math.max(0, at - CLAUSE_LENGTH), at)))
        .map((at) => sentence.slice(at, at + CLAUSE_LENGTH).trim()),
    );
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
