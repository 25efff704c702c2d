/**
 * Makes command lines from a seed: branches, directories, commits and file writes, joined and
 * nested in every way, with noise between that must count for nothing.
 */
export function commandLine(seed: number): string {
  const next = randomNumbers(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
  const chance = (likelihood: number) => next() < likelihood;

  const branchName = () => pick(['main', 'topic', 'feature/x', 'missing']);
  const directory = () => pick(['sub', 'sub/deep', '..', '.', 'other', 'nowhere', '../other']);
  const file = () => pick(['a.txt', 'new.txt', 'sub/b.txt', './c.txt', '"with space.txt"', 'sub']);
  const commit = () =>
    `commit -q --allow-empty -m ${pick(['x', '"git checkout main"', "'a && b; c'", 'a\\ b'])}`;

  const git = (): string => {
    const place = pick([
      '',
      '',
      '',
      '-C sub ',
      '-C other ',
      '-c user.name=Z ',
      '--no-pager ',
      '-C . ',
      '--git-dir=other/.git ',
    ]);
    const what = [
      () => `checkout -q ${branchName()}`,
      () => `switch -q ${branchName()}`,
      () => `checkout -q -b made${Math.floor(next() * 3)}`,
      () => `switch -q -c made${Math.floor(next() * 3)}`,
      () => `checkout -q -- a.txt`,
      () => `checkout -q --detach`,
      () => `branch -q -f ${pick(['topic', 'spare'])}`,
      () => `branch -m renamed`,
      () => `merge -q --no-edit topic`,
      () => `tag t${Math.floor(next() * 3)}`,
      () => `reset -q --hard HEAD~1`,
      () => `status --short`,
      () => `log --oneline -1 --grep="git commit"`,
    ];
    return `${pick(['git', 'git', 'git', 'command git', 'env X=1 git', '"git"', 'gi\\t'])} ${place}${chance(0.5) ? commit() : pick(what)()}`;
  };

  const write = (): string =>
    pick([
      () => `echo ${Math.floor(next() * 1000)} > ${file()}`,
      () => `echo more >> ${file()}`,
      () => `printf x | tee ${chance(0.5) ? '-a ' : ''}${file()} > /dev/null`,
      () => `sed -i${chance(0.3) ? '.bak' : ''} 's/one/two/' ${file()}`,
      () => `cp a.txt ${file()}`,
      () => `mv a.txt ${file()}`,
      () => `rm -f ${file()}`,
      () => `touch {p,q}.txt`,
      () => `mkdir -p made/dir`,
      () => `cat > ${file()} <<'EOF'\ngit commit -m no > trap.txt\nEOF\n`,
      () => `ls > list.txt 2>&1`,
    ])();

  const noise = (): string =>
    pick([
      'echo "git commit -m x > no.txt"',
      "echo 'cd other && git commit'",
      'true',
      'false',
      ': # git commit\n:',
      '[ -d sub ]',
      '[ -d nowhere ]',
      'test -f a.txt',
      'v=git',
      'd=sub; cd "$d"',
    ]);

  const cd = (): string =>
    pick([() => `cd ${directory()}`, () => `pushd ${directory()} > /dev/null`, () => 'popd > /dev/null'])();
  const simple = (): string => (chance(0.4) ? git() : chance(0.5) ? write() : chance(0.5) ? cd() : noise());

  /** A here-document needs its line's end, so it cannot stand before an operator. */
  const inline = (): string => {
    for (;;) {
      const line = simple();
      if (!line.includes('EOF')) return line;
    }
  };

  const list = (depth: number): string => {
    let line = part(depth);
    for (let count = Math.floor(next() * 4); count > 0; count--)
      line += `${pick([' && ', ' && ', ' && ', '; ', ' || ', '\n'])}${part(depth)}`;
    return line;
  };

  const part = (depth: number): string => {
    if (depth === 0 || chance(0.65)) return inline();
    const inner = () => list(depth - 1);
    return pick([
      () => `(${inner()})`,
      () => `{ ${inner()}; }`,
      () => `bash -c ${quoted(inner())}`,
      () => `eval ${quoted(inner())}`,
      () => `if ${inline()}; then ${inner()}; else ${inner()}; fi`,
      () => `for f in one two; do ${inner()}; done`,
      () => `f${depth}() { ${inner()}; }; f${depth}`,
      () => `echo "$(${inner()})" > /dev/null`,
      () => `! ${inline()}`,
      () => `${inline()} | cat`,
      () => `{ ${inner()}; } > ${file()}`,
      () => `${inline()} || exit 3`,
      () => `while ${inline()}; do ${inner()}; break; done`,
      () => `case x in y) ${inner()};; *) ${inner()};; esac`,
    ])();
  };

  const opening = chance(0.15) ? 'set -e; ' : '';
  const line = opening + list(2);
  return chance(0.1) ? `${line} && ${write()}` : line;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function randomNumbers(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}
