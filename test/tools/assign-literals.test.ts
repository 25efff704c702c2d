import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignLiterals } from '../../tools/assign-literals.mjs';

/** Runs a chunk as it is and as it becomes; `log` tells in which order things are done. */
function bothWays(
  body: string,
  module: { empty?: () => object } = {},
): { before: unknown; after: unknown; code: string } {
  const plain = `"use strict";${body}`;
  const code = assignLiterals(plain);
  const run = (text: string): unknown => {
    const lines: unknown[] = [];
    const log = (value: unknown): unknown => {
      lines.push(value);
      return value;
    };
    const exports: { result?: unknown } = {};
    new Function('exports', 'log', 'module', text)(exports, log, module);
    return [exports.result, lines];
  };
  return { before: run(plain), after: run(code), code };
}

describe('a literal that is assigned', () => {
  it.each([
    ['with values of every kind', 'exports.result={a:1,b:"x",c:[1,{d:2}],e:null,f:void 0,"g-h":!0}'],
    ['at the top and in a function', 'const a={b:1};function c(d){return {d,a,e:{d}}}exports.result=c(2)'],
    ['in arrows', 'const a=b=>({b}),c=(d,e=1)=>({d:d=>({d}),e}),g=c(3);exports.result=[a(1),g.d(2),g.e]'],
    [
      'beside others of the same depth',
      'exports.result=[{a:1},{b:2}].map(({a,b})=>[{a},{b}]).concat({c:{d:{e:3}}})',
    ],
    ['in the order of its values', 'exports.result={a:log(1),b:{c:log(2)},d:[log(3),{e:log(4)}],f:log(5)}'],
    ['behind a spread', 'const a={b:1,c:2};exports.result=[{...a,c:3,d:4},{...a},{...null,e:1}]'],
    [
      'with a spread elsewhere',
      'const a={b:1,c:2};exports.result=[{b:0,...a},{...a,c:3,...{c:4}},{f:1,...a,g:{h:1}}]',
    ],
    ['in a function that calls itself', 'function a(b){return {b,c:b>0?a(b-1):0,d:b}}exports.result=a(3)'],
    [
      'in loops with closures',
      'const a=[];for(const b of [1,2])a.push({b:()=>b});exports.result=a.map(c=>c.b())',
    ],
    ['that a throw leaves half done', 'let a="none";try{a={b:log(1),c:log.x.y}}catch{}exports.result=a'],
    [
      'as a default and in patterns',
      'function a({b=1,c:{d}={d:2}}={},e={f:3}){return {b,d,e}}exports.result=a()',
    ],
    [
      'with accessors, methods, numbers and computed names',
      'exports.result=[{get a(){return 1},b:{c:1}},{d(){return {e:2}}}.d(),{1:{f:1}},{["g"+1]:{h:2}},{"0":1}]',
    ],
    [
      'with the prototype among them',
      'exports.result=[Object.getPrototypeOf({__proto__:null,a:1})===null,{b:1}]',
    ],
    [
      'in classes',
      'class a{b={c:1};static d={e:2};#f={g:3};h(){return {i:this.#f}}}exports.result=[new a().b,a.d,new a().h()]',
    ],
    [
      'in generators',
      'function*a(){const b={c:yield 1,d:{e:yield 2}};return b}const f=a();f.next();f.next(3);exports.result=f.next(4)',
    ],
    [
      'beside names that might be its own',
      'const t0=1,t1=2,t2=3;function a(t3){return {t0,b:{t1,c:{t2,t3}}}}exports.result=a(4)',
    ],
    ['in a text', `exports.result=[\`\${{a:1}}\`,{b:{c:1}}+"x","x"+({d:1}),[{e:1}]+"",""+(log(1)?{f:1}:1)]`],
    [
      'made into a number',
      'let a="n";a+={b:1};exports.result=[a,+{c:1},-{d:1},{e:1}*2,{f:1}<{g:1},{h:1}=="x"]',
    ],
    ['compared as it is', 'const a={b:1};exports.result=[a==={b:1},"b"in{b:1},{c:1}instanceof Array]'],
    [
      'in a sequence, a condition and a call',
      'exports.result=[(log(1),{a:1}),log(0)?{b:1}:{b:2},log({c:1}).c]',
    ],
  ])('%s', (_, body) => {
    const { before, after } = bothWays(body);
    expect(after).toEqual(before);
  });

  it('is no literal any more', () => {
    expect(bothWays('exports.result={a:1,b:{c:2}}').code).toMatch(
      /exports\.result=\((\w+)=(\w+)\(null\),\1\.a=1,\1\.b=\((\w+)=\2\(null\),\3\.c=2,\3\),\1\)/,
    );
  });

  it('has no prototype, unless who loads the chunk makes its objects', () => {
    const body = 'const a={b:{c:1}};exports.result=[a,a.b].map(d=>Object.getPrototypeOf(d)===null)';
    expect(bothWays(body).after).toEqual([[true, true], []]);
    expect(bothWays(body, { empty: () => ({}) }).after).toEqual([[false, false], []]);
  });

  it('keeps the order of properties, and values whatever they are', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z_$-]{1,6}$/), { minLength: 1, maxLength: 6 });
    const value = fc.oneof(
      fc.integer(),
      fc.string({ unit: 'grapheme-ascii' }),
      fc.boolean(),
      fc.constant(null),
    );
    const tree = fc.letrec((tie) => ({
      node: fc.oneof({ maxDepth: 3 }, value, fc.array(tie('node'), { maxLength: 3 }), tie('object')),
      object: fc
        .tuple(names, fc.array(tie('node'), { minLength: 6, maxLength: 6 }))
        .map(([keys, values]) => Object.fromEntries(keys.map((key, index) => [key, values[index]]))),
    })).node;
    fc.assert(
      fc.property(tree, (data) => {
        const { before, after } = bothWays(`exports.result=JSON.stringify(${JSON.stringify(data)})`);
        expect(after).toEqual(before);
      }),
    );
  });
});

it('refuses a chunk that is not strict', () => {
  expect(() => assignLiterals('var a={b:1};')).toThrow('use strict');
});
