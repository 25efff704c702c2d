import { describe, expect, it } from 'vitest';
import { toCommonJs } from '../../tools/to-commonjs.mjs';

/** As esbuild writes a bundle of several files: each has a name of its own for what it imports. */
const BUNDLE = `
import {sep as a} from "node:path";import {sep as b,join as c} from "node:path";
var d=["x"],e=[],f=new Set(["rare"]),g=0;
function h(n){return f.has(n)?i(n):j(n)}
function i(n){e.push(n);return n+a+b}
function j(n){return [n].map(k).join(c("p","q"))}
function k(n){return {n,d,g:++g}.n+l()}
function l(){return g===1?"once":"again"}
var m={run:h,seen:()=>e};
export{m as way,k as part};
`;
const FILES: Record<string, string> = { f: 'one.ts', i: 'one.ts', j: 'two.ts', l: 'two.ts', h: 'three.ts' };

interface Chunk {
  readonly way: { run(name: string): string; seen(): string[] };
  readonly part: (name: string) => string;
}

function built(bundle: string, seldom: readonly string[]): { code: string; chunk: Chunk } {
  const code = toCommonJs(bundle, {
    originOf: ({ declares: [name = ''] }) => ({ file: FILES[name] ?? 'other.ts', name }),
    foldOf: ({ file, name }) => (seldom.includes(name) ? file : undefined),
    nameFor: () => undefined,
  });
  const exports = {};
  const paths = { sep: '/', join: (...steps: string[]) => steps.join('/') };
  new Function('exports', 'require', code)(exports, () => paths);
  return { code, chunk: exports as Chunk };
}

describe('a chunk', () => {
  it.each([[[]], [['i']], [['j', 'l']], [['i', 'j', 'k', 'l']], [['h', 'i', 'j', 'k', 'l']]])(
    'does the same with %j out of the way',
    (seldom) => {
      const { chunk } = built(BUNDLE, seldom);
      expect(chunk.way.run('rare')).toBe('rare//');
      expect(chunk.way.run('x')).toBe('xonce');
      expect(chunk.way.run('x')).toBe('xagain');
      expect(chunk.way.seen()).toEqual(['rare']);
      expect(chunk.part('y')).toBe('yagain');
    },
  );

  it('asks once for what several files import', () => {
    const { code } = built(BUNDLE, []);
    expect(code.match(/sep:/g)).toHaveLength(1);
  });

  it('has what is seldom run in a function of its own, unless something else is needed for it', () => {
    const { code } = built(BUNDLE, ['i', 'k', 'h']);
    expect(code).toMatch(/open0=\(\)=>\{function i\(/);
    expect(code).not.toMatch(/open1/);
  });

  it('takes functions that are handed on, and variables that others share, out of the way', () => {
    const bundle = `
var a={one:()=>b,two:n=>c(n)+1},b=new Set([1]),d=class{#n=1;get n(){return this.#n+b.size}};
function c(n){return [n].map(e)[0]+b.size}
function e(n){return n+new d().n}
var f={run:n=>a.two(n)+e(n),seen:()=>[a.one().size]};
export{f as way};`;
    const { code, chunk } = built(bundle, ['a', 'b', 'c', 'd', 'e']);
    expect(code.indexOf('class')).toBeGreaterThan(code.indexOf('open0=()=>'));
    expect([chunk.way.run(1 as never), chunk.way.seen()]).toEqual([8, [1]]);
  });

  it('leaves at the top what is given another value, or is made by a call', () => {
    const bundle = `
var a=0,b=c(),d={e:a};
function c(){return 5}
function f(){return ++a+b+d.e}
function g(){return [a,d.e,f()]}
var h={run:()=>g(),seen:()=>f()};
export{h as way};`;
    const { code, chunk } = built(bundle, ['a', 'b', 'c', 'd', 'f', 'g']);
    expect(code).toMatch(/^"use strict";.*var .*a=0,b=c\(\)/);
    expect([chunk.way.run(''), chunk.way.seen()]).toEqual([[0, 0, 6], 7]);
  });

  it('opens a fold without another that may need it for its own', () => {
    const bundle = `
var a=[1],i=[a,...a],j={of:i,to:()=>h()};
function h(){return [j.of.length,a.length,i.length]}
var m={run:()=>h(),seen:()=>j.to()};
export{m as way};`;
    const { chunk } = built(bundle, ['a', 'i', 'j', 'h']);
    expect([chunk.way.run(''), chunk.way.seen()]).toEqual([
      [2, 1, 2],
      [2, 1, 2],
    ]);
  });

  it('has no more names in a block than V8 keeps without a table', () => {
    const names = Array.from({ length: 300 }, (_, index) => `name${index}`);
    const lines = names.map((name, index) => `function ${name}(){return ${names[index - 1] ?? 'String'}}`);
    const { code } = built(`${lines.join('')}export{name299 as way};`, []);
    const blocks = code.split('{function').map((block) => block.match(/function name|^ name/g)?.length ?? 0);
    expect(Math.max(...blocks)).toBeLessThanOrEqual(75);
    expect(blocks.reduce((sum, count) => sum + count, 0)).toBe(300);
  });

  it('keeps the properties of a short pattern where a variable gets another name', () => {
    const bundle = 'var a=1,e=4;function b(c){({a=e+[e].length}=c);return a}var d={run:b};export{d as way};';
    const code = toCommonJs(bundle, {
      originOf: ({ declares: [name = ''] }) => ({ file: 'one.ts', name }),
      foldOf: () => undefined,
      nameFor: ({ name }) => `${name}_of_one`,
    });
    const exports: { way?: { run(some: object): number } } = {};
    new Function('exports', code)(exports);
    expect([exports.way?.run({ a: 2 }), exports.way?.run({})]).toEqual([2, 5]);
  });

  it.each([
    [
      'a name at the top is one inside as well',
      'var a=1;function b(a){return a}export{b as way};',
      'declared inside',
    ],
    [
      'what is exported changes',
      'var a=1;function b(){return ++a}export{a,b as way};',
      'given another value: a',
    ],
    ['a statement of its own exports', 'export function a(){}', 'ExportNamedDeclaration'],
    ['another module is exported', 'export*from"node:path";', 'ExportAllDeclaration'],
    ['there is a default', 'function a(){}export default a;', 'ExportDefaultDeclaration'],
  ])('is not built where %s', (_, bundle, said) => {
    expect(() => built(bundle, [])).toThrow(said);
  });
});
