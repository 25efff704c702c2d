/*
 * Orders and claims in the words of a prompt. Everywhere else a prompt's words count for nothing; these are
 * looked at only to refuse a delegation whose own words say that it leaves the phase. What counts is a clause
 * that begins with the order: to advance is one, advanced options and a gate in a file name are none.
 */

const BEGIN =
  "(?:^|[.!?;:,\\n(]|\\b(?:and|then|please|now|just|also|finally|so|can|may|should|must|shall|will|could|let's|ready to|time to|you to|us to|want to|need to|going to|able to))\\s*";
const END = '(?=\\s*(?:$|[.!?;:,)\\n]))';
const KEEPING = '(?=\\s+(?:and|then|now|immediately|anyway|regardless)\\b)';
const UNNAMED = '(?![\\w-]|\\.\\w)';
const DONE = `(?:complete|completed|done|finished)${UNNAMED}`;
const TOWARDS = '(?:to|into|past|through|beyond)';
/** What follows is looked at by itself: it must be a phase or a gate. */
const REST = '(?=(?:the\\s+)?(.{1,60}))';

/** The groups are, in turn, where it goes to (four times) and what is declared done. */
const order = (): RegExp =>
  anyOf([
    `advance(?:${END}|${KEEPING})`,
    `advance\\s+(?:(?:${TOWARDS}|this|our|from)\\s+)*${REST}`,
    `(?:proceed|move\\s+on)(?:${END}|(?=\\s+(?:anyway|regardless)\\b))`,
    `(?:proceed|move|move\\s+on|go|go\\s+on|continue|progress|skip|jump|transition|switch)\\s+(?:ahead\\s+|directly\\s+|straight\\s+)?${TOWARDS}\\s+${REST}`,
    '(?:start|begin|enter|initiate)\\s+(?:the\\s+)?next\\s+phase',
    `(?:pass|open|validate|check|run|evaluate|clear|request)\\s+(?:the\\s+)?(?:gate-\\d\\w*|gate\\s+(?:validation|check|review)|gate${UNNAMED}(?:${END}|${KEEPING}|(?=\\s+(?:for|of)\\b)))`,
    `hand\\s*(?:it\\s+|this\\s+)?(?:off|over)(?:${END}|\\s+to\\s+(?:the\\s+)?next\\s+agent|\\s+to\\s+${REST})`,
    `(?:declare|mark)\\s+((?:[\\w-]+\\s+){0,4}?)(?:as\\s+)?${DONE}`,
  ]);

/** The groups are what is declared done, and what is said to be so. */
const claim = (): RegExp =>
  anyOf([
    `(?:declare|mark)\\s+((?:[\\w-]+\\s+){0,4}?)(?:as\\s+)?${DONE}`,
    `((?:[\\w-]+\\s+){1,4}?)(?:(?:is|are|has\\s+been)\\s+)?(?:now\\s+)?${DONE}`,
    `(?:(?:we\\s+are|it\\s+is|this\\s+is|is|are)\\s+)?ready\\s+for\\s+(?:the\\s+)?gate${UNNAMED}`,
    '(?:run\\s+|do\\s+|perform\\s+)?(?:the\\s+)?gate\\s+validation',
    'submit\\s+(?:\\S+\\s+){0,3}for\\s+review',
    'finali[sz]e\\s+(?:the\\s+|all\\s+)?artifacts',
  ]);

/** A clause with one of these before the order asks, forbids or reports, and orders nothing. */
const NO_ORDER =
  /\b(?:not|never|don't|cannot|can't|won't|without|before|until|unless|why|how|whether|what)\b/;
const NO_CLAIM =
  /\b(?:not|never|isn't|until|unless|when|once|if|after|before|whether|ensure|make|without|how|why)\b/;

/** One of these is in every order that does not name a phase, and in every claim. */
const ORDER_WORDS = 'advance proceed move hand declare mark phase stage step gate workflow'.split(' ');
const CLAIM_WORDS = 'complete done finished gate submit finali'.split(' ');

/** Whether the words order whoever reads them to leave the phase. `phases` are the names that can be gone to. */
export function ordersToAdvance(text: string, phases: readonly string[]): boolean {
  const names = namesOf(phases);
  const plain = plainText(text);
  if (![...ORDER_WORDS, ...names].some((word) => plain.includes(word))) return false;
  return finds(order(), NO_ORDER, plain, ([, past, to, over, declared]) => {
    const target = past ?? to ?? over;
    if (target !== undefined) return isTarget(target, names);
    return declared === undefined || isSubject(declared, names, true);
  });
}

/** Whether the words claim that the work of a phase is complete. */
export function claimsCompletion(text: string, phases: readonly string[]): boolean {
  const plain = plainText(text);
  if (!CLAIM_WORDS.some((word) => plain.includes(word))) return false;
  const names = new Set([...namesOf(phases), 'implementation', 'testing', 'requirements']);
  return finds(claim(), NO_CLAIM, plain, ([, declared, subject]) => {
    if (subject !== undefined) return isSubject(subject, names, false);
    return declared === undefined || isSubject(declared, names, true);
  });
}

function anyOf(clauses: readonly string[]): RegExp {
  return new RegExp(`${BEGIN}(?:${clauses.join('|')})`, 'g');
}

/** The phases as one names them: with the number, without it, and in plain words. */
function namesOf(phases: readonly string[]): ReadonlySet<string> {
  return new Set(
    phases.flatMap((phase) => {
      const name = phase.toLowerCase();
      const bare = name.replace(/^[0-9a-z]{2}-/, '');
      return [name, bare, bare.replaceAll('-', ' ')];
    }),
  );
}

const GENERAL_TARGET =
  /^(?:(?:next|following)\s+(?:phase|stage|gate|step)\b|(?:phase|gate|workflow)(?![\w-]|\.\w)|gate-\d)/;

function isTarget(text: string, names: ReadonlySet<string>): boolean {
  if (GENERAL_TARGET.test(text)) return true;
  return [...names].some((name) => text.startsWith(name) && !/^(?:[\w-]|\.\w)/.test(text.slice(name.length)));
}

/** `the implementation phase`, `phase 06`, or, where something is declared, nothing that needs a name. */
function isSubject(text: string, names: ReadonlySet<string>, isDeclared: boolean): boolean {
  const words = text.trim().replace(/^(?:the|this) /, '');
  if (isDeclared && ['', 'it', 'everything'].includes(words)) return true;
  const bare = words
    .replace(/ ?\bphase\b ?/, ' ')
    .replace(/\b\d+\b/, '')
    .trim();
  return bare === '' ? words.includes('phase') : names.has(bare);
}

function finds(
  pattern: RegExp,
  excluded: RegExp,
  plain: string,
  isMeant: (found: RegExpExecArray) => boolean,
): boolean {
  for (const found of plain.matchAll(pattern)) {
    if (isMeant(found) && !excluded.test(clauseBefore(plain, found.index))) return true;
  }
  return false;
}

/** In lower case, and without long blank stretches, on which the patterns would take far too long. */
function plainText(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[^\S\n]+/g, ' ')
    .replace(/\n\s+/g, '\n');
}

function clauseBefore(text: string, end: number): string {
  const before = text.slice(0, end);
  const signs = ['.', '!', '?', ';', ':', ',', '\n'].map((sign) => before.lastIndexOf(sign));
  return before.slice(Math.max(...signs) + 1);
}
