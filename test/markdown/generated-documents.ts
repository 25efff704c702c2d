/** Numbers from 0 up to 1, the same ones for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Pick = <T>(from: readonly T[]) => T;

/** A document of a few lines, made of what decides whether the signals in it count. */
export function generatedDocument(random: () => number, signals: readonly string[]): string {
  const pick: Pick = (from) => from[Math.floor(random() * from.length)]!;
  const lines = Array.from({ length: 1 + Math.floor(random() * 7) }, () => line(random, pick, signals));
  lines[Math.floor(random() * lines.length)] =
    INDENTS_OF_SIGNALS[Math.floor(random() * INDENTS_OF_SIGNALS.length)]! + pick(signals);
  return join(lines, random, pick);
}

/** A document with a few lines or characters of it dropped, doubled, moved or replaced. */
export function mutatedDocument(document: string, random: () => number, signals: readonly string[]): string {
  const pick: Pick = (from) => from[Math.floor(random() * from.length)]!;
  let text = document;
  for (let rounds = 1 + Math.floor(random() * 3); rounds > 0; rounds -= 1) {
    const lines = text.split('\n');
    const at = Math.floor(random() * lines.length);
    const place = Math.floor(random() * (text.length + 1));
    text = pick([
      () => lines.toSpliced(at, 1).join('\n'),
      () => lines.toSpliced(at, 0, lines[at]!).join('\n'),
      () => lines.toSpliced(at, 0, line(random, pick, signals)).join('\n'),
      () => lines.with(at, pick(PREFIXES) + lines[at]!).join('\n'),
      () => lines.with(at, pick(INDENTS_OF_SIGNALS) + pick(signals)).join('\n'),
      () => text.slice(0, place) + pick(CHARACTERS) + text.slice(place),
      () => text.slice(0, place) + text.slice(place + 1),
    ])();
  }
  return text;
}

function line(random: () => number, pick: Pick, signals: readonly string[]): string {
  const roll = random();
  if (roll < 0.2) return pick(INDENTS_OF_SIGNALS) + pick(signals);
  let text = roll < 0.85 ? pick(FRAGMENTS) : pick(FRAGMENTS) + pick(FRAGMENTS);
  while (random() < 0.35) text = pick(PREFIXES) + text;
  return text;
}

function join(lines: readonly string[], random: () => number, pick: Pick): string {
  const ending = random() < 0.8 ? '\n' : pick(['\r\n', '\r']);
  return lines.join(ending) + (random() < 0.3 ? ending : '');
}

const INDENTS_OF_SIGNALS = [
  ...Array.from({ length: 8 }, () => ''),
  ...[' ', '  ', '   ', '    ', '     ', '      ', '       ', '        ', '\t', ' \t', '\t ', '\t\t'],
];

const PREFIXES = [
  ...[
    '> ',
    '>',
    '>\t',
    ' > ',
    '   >',
    '- ',
    '-\t',
    '-   ',
    '-     ',
    '* ',
    '+ ',
    '1. ',
    '1) ',
    '2. ',
    '10.  ',
  ],
  ...['    ', '\t', '  ', '   ', ' ', ' - '],
];

const CHARACTERS = [...'`~<>-*_#=+[]()!?:/"\'\\ \t\n1.a', '\n\n', '<!--', '-->', '```', '    '];

const FRAGMENTS = [
  ...[
    '',
    '',
    '',
    '',
    ' ',
    '\t',
    'text',
    'more text',
    'a',
    '# title',
    '#',
    '===',
    '=',
    '---',
    '--',
    '-',
    '***',
  ],
  ...[
    '```',
    '```',
    '````',
    '~~~',
    '~~~~',
    '``` js',
    '~~~ a`b',
    '``` a`b',
    '``',
    '`',
    '`',
    '` `',
    'a `b',
    'c` d',
  ],
  ...[
    '`x`',
    '``x`y``',
    '\\`',
    '\\\\`',
    '\\``',
    '`\\`',
    '*',
    '+',
    '1.',
    '1)',
    '2.',
    '- - -',
    '* * *',
    '- a',
    '-- -',
  ],
  ...[
    '<!--',
    '-->',
    '<!-- x -->',
    '<!-->',
    '<!--->',
    '<!---->',
    'x <!--',
    '--> y',
    '<?',
    '?>',
    '<?>',
    'a <? b',
  ],
  ...['<pre>', '</pre>', '<pre', '<pre/>', '<PRE class="a">', '<script>', '</script>', '<style>', '</style>'],
  ...[
    '<textarea>',
    '</textarea>',
    'b <pre>',
    '<!X',
    '<!doctype html>',
    '<![CDATA[',
    ']]>',
    'a <!X',
    'a <![CDATA[',
  ],
  ...[
    '<details>',
    '</details>',
    '<summary>s</summary>',
    '<div',
    '<div>',
    '</div>',
    '<div/>',
    '<div title="',
    '">',
  ],
  ...[
    '<b>',
    '</b>',
    '<b',
    '<a href="x">',
    '<a x=`>',
    "<a b='",
    "'>",
    '<a',
    '/>',
    '<x-y z>',
    '</x',
    '<a b="`">',
    'z>',
  ],
  ...[
    '<http://a`b>',
    '<a`b@c.d>',
    '<https://a.b>',
    '<a:b`>',
    '[a]: b',
    '[a]:',
    '[a]: b "`"',
    '[a]: <b`>',
    '"t"',
  ],
  ...[
    '[a]: b "',
    '[`]: c',
    "'t",
    '(t)',
    '[a]',
    '[a](b)',
    '[a](b "`")',
    '[a](`',
    '![a](<b`>)',
    '[a][`]',
    '](',
    '`]',
  ],
  ...[
    '[a]: (b`',
    '[a]: b`c',
    '[ ]: a',
    '[a\\]: b',
    '&lt;',
    '| a | b |',
    '|---|---|',
    '\u00a0',
    '\f',
    '\u2028',
  ],
];
