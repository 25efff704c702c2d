import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asItWas, changed as inlined, left } from './both-ways';

const SAME: Record<string, string> = {
  'an expression': 'function run(t){return [f(t),t]}function f(e){return e+1}',
  'arguments in their order': 'function run(t){return f(log(t),log("b"))}function f(e,n){return [n,e]}',
  'an argument that is used twice': 'function run(t){return 1+f(log(t))}function f(e){return e*e}',
  'an argument that is not used': 'function run(t){return 1+f(log(t),2)}function f(e,n){return n}',
  'an argument that is used on one way': 'function run(t){return [f(t,log(5))]}function f(e,n){return e?n:0}',
  'more arguments than parameters': 'function run(t){return f(t,1,2)}function f(e){return e}',
  'fewer arguments than parameters': 'function run(t){return f(t)}function f(e,n,o){return [e,n,o]}',
  'an argument that changes later':
    'function run(t){let n=t,o=f(n);n=9;return o()}function f(e){return()=>e}',
  'a parameter that changes': 'function run(t){let o=f(t);return [o,t]}function f(e){e+=2;return e}',
  'returns on several ways':
    'function run(t){let o=f(t);log(o);return o}function f(e){if(e===0)return"zero";for(let n=0;;n++)if(n>e)return n}',
  'a return without a value': 'function run(t){let o=f(t);return [o]}function f(e){if(e)return;log(e)}',
  'a body without an end': 'function run(t){if(t)return f(t);return 7}function f(e){e>1&&log(e)}',
  'returns out of try':
    'function run(t){let o=f(t);return o}function f(e){try{if(e)return log("a");log("b")}finally{log("c")}return"d"}',
  'a finally that has the last word':
    'function run(t){let o=f(t);return [o]}function f(e){try{return 1}finally{if(e)return 2}}',
  'an error':
    'function run(t){try{return f(t)}catch(e){return log(String(e))}}function f(e){if(e)throw new Error("x"+e);return e}',
  'a switch':
    'function run(t){switch(f(t)){case"a":return 1;default:return 2}}function f(e){switch(e){case 0:return"a";default:log(e)}}',
  'a call in a case':
    'function run(t){switch(t){case 0:let o=f(t);return o;case 1:log(1);default:return 3}}function f(e){if(e)return;return[e]}',
  'names that meet':
    'function run(t){let e=t,n=f(e,2);return [t,e,n]}function f(t,e){let n=t+e,o=[n,e].map(t=>t+n);return {t,e,n,o}}',
  'words of properties':
    'function run(e){let{a:n}=f({e}),o=n;return [e,o]}function f({e:n}){let{e=4,...o}={n};return{a:{n,e,o},n:n.n}}',
  'a default in a short pattern':
    'function run(e){let n=f({e:void 0});return [n,e]}function f(o){let{e=log(3)}=o;return()=>e}',
  'default values': 'function run(t){return f(t||void 0)}function f(e=log("d"),n=e,{o=n}={}){return [e,n,o]}',
  'default values that do not count':
    'function run(t){return [f("x",log(t))]}function f(e=log("d"),n=2){return e+n}',
  'patterns behind arguments':
    'function run(t){return f({get a(){return log("a")}},log(t))}function f({a:e},n){return [e,n]}',
  'two patterns':
    'function run(t){let o=f({a:log(t)},[log(2)]);return o}function f({a:e,b:n=log("b")},[o]){return [e,n,o]}',
  'a pattern without a value': 'function run(t){let o=f();return o}function f({a:e}){return e}',
  'functions of each turn':
    'function run(t){let o=[];for(let e=0;e<3;e++)o.push(f(e+t));return o.map(e=>e())}function f(e){let n=e*2;return()=>n++}',
  'functions of each turn of a bare loop':
    'function run(t){let o=[],e=0;while(e<3)o[e++]=f(e+t);return o.map(e=>e())}function f(e){let n=e*2;return()=>n++}',
  'functions made in a head':
    'function run(t){let o=[];for(let e=0;f(e,o)()<3;e++);return o.map(e=>e())}function f(e,n){let o=e;return n.push(()=>o),()=>o}',
  'a loop that is left':
    'function run(t){for(let e of[1,2,3]){let n=f(e);if(n===t)continue;log(n)}}function f(e){for(let n of[1,2])if(n===e)return n;return 0}',
  'heads of loops':
    'function run(t){for(let e of f(t))log(e);for(let e=g(t),n=0;n<e;n++)log(n)}function f(e){let n=[];n.push(e);return n}function g(e){let n=[e,e];return n.length}',
  'a head that is asked again':
    'function run(t){let e=0;while(f(e)<3)e++;do log(e);while(g(e--)>t);return e}function f(e){return log(e)+1}function g(e){let n=e;return n}',
  'a labelled loop':
    'function run(t){e:for(let n of f(t)){for(;;){if(n>t)continue e;break e}}return 1}function f(e){let n=[e+1];n.push(e);return n}',
  conditions:
    'function run(t){let o=t?f(t):log("n");log(o);return t>1?log(1):g(t)}function f(e){for(let n of[e])return n}function g(e){if(e)return"g";log("h")}',
  'either and or':
    'function run(t){let o=t&&f(t),e=o||g(t),n=h(t)??e;log(n);t||i(t);return e}function f(e){for(;;)return e-1}function g(e){for(;;)return log(e)}function h(e){for(;;)return e?void 0:null}function i(e){for(;;)return log("i")}',
  'a value of either': 'function run(t){return t-1||f(t)}function f(e){let n=[e];for(let o of n)return o}',
  'a row of expressions':
    'function run(t){return log(1),f(t),log(2),g(t)}function f(e){for(let n of[e])log(n)}function g(e){for(let n of[e])return n}',
  'what is worked out before':
    'function run(t){let o={n:0};return [o.n,f(o),o.n,g(o)]}function f(e){for(let n of[1,2])e.n+=n;return e}function g(e){return e.n++,e.n}',
  'a method that changes':
    'function run(t){let o={m:e=>[e,1]};return o.m(f(o))}function f(e){for(let n of[2])e.m=o=>[o,n];return 3}',
  'text in the making': `function run(t){let o={toString:()=>log("o")};return \`\${o}\${f(t)}\`}function f(e){for(let n of[e])return log(n)}`,
  'a thing that is made around it':
    'function run(t){return{a:1,b:()=>t,c:f(t),d:log("d")}}function f(e){for(let n of[e])return log(n)}',
  'an arrow':
    'function run(t){return [1,2].map(e=>f(e,t))}function f(e,n){let o=e+n;for(let i of[o])return()=>i}',
  'an arrow that returns a thing':
    'function run(t){return [1,2].map(e=>({e,n:f(e,t)}))}function f(e,n){let o=log(e+n);return o*o}',
  'a default value that calls':
    'function run(t){let o=(e=f(t))=>e;return [o(),o(1)]}function f(e){return log(e)}',
  'a default value with steps':
    'function run(t){let o=(e=f(log(t)))=>e;return [o(),o(1)]}function f(e){let n=e*e;return n+e}',
  'a class':
    'function run(t){class e{n=f(log(t));m(){return g(this.n)}}return new e().m()}function f(e){let n=e*e;return n+e}function g(e){for(let n of[e])return n}',
  'a call that is not sure':
    'function run(t){let o=t?{a:1}:void 0;return o?.[f(t)]}function f(e){for(let n of[log("a")])return n}',
  'a member of what is returned':
    'function run(t){return f(t)?.a.length}function f(e){if(e)return{a:"abc"};log(e)}',
  'one in the other':
    'function run(t){return f(t)}function f(e){let n=g(e);return n&&h(n)}function g(e){if(e===1)return;return[e]}function h(e){for(let n of e)return log(n)}',
  'each other': 'function run(t){return f(t)}function f(e){return e>3?e:g(e)}function g(e){return f(e+1)}',
  'a function in a function':
    'function run(t){let e=f(t);return e}function f(e){return n(e);function n(o){return o?n(o-1):o}}',
  'keywords beside names':
    'function run(t){for(let e of[f(t),1])log(e);return typeof f2(t)}function f(e){for(let n of[e])return n}function f2(e){for(let n of[e])return n}',
  'a generator that asks':
    'function run(t){return [...e()];function*e(){yield f(t);yield 2}}function f(e){for(let n of[log(e)])return n}',
  'what a call reads while others change it':
    'var n=0;function run(t){let o=f(n,g());return o}function f(e,o){return [e,o,n]}function g(){for(let e of[1])return++n}',
};

describe('a program with functions inlined', () => {
  it.each(Object.entries(SAME))('does the same: %s', (_, program) => {
    const before = asItWas(program);
    const after = inlined(program);
    expect(after.said).toEqual(before.said);
  });

  it.each([
    ['an expression', ['run']],
    ['returns on several ways', ['run']],
    ['functions of each turn', ['run']],
    ['either and or', ['run']],
    ['one in the other', ['run']],
    ['two patterns', ['run']],
    ['an arrow', ['run']],
    ['what is worked out before', ['f', 'run']],
    ['a labelled loop', ['f', 'run']],
    ['functions made in a head', ['f', 'run']],
  ])('has no more functions than it needs: %s', (name, names) => {
    expect(left(inlined(SAME[name] ?? '').code)).toEqual(names);
  });

  it.each([
    ['is called twice', 'function run(t){return f(t)+f(1)}function f(e){return e}'],
    ['is handed on', 'function run(t){return [t].map(f)}function f(e){return e}'],
    ['calls itself', 'function run(t){return f(t)}function f(e){return e>0?f(e-1):e}'],
    ['is asynchronous', 'function run(t){return f(t)}async function f(e){return e}'],
    ['is a generator', 'function run(t){return [...f(t)]}function*f(e){yield e}'],
    ['has a `this`', 'function run(t){return f(t)}function f(e){return this===e}'],
    ['looks at all arguments', 'function run(t){return f(t)}function f(e){return arguments.length}'],
    ['takes all arguments', 'function run(t){return f(t,1)}function f(...e){return e}'],
    ['is given a list of arguments', 'function run(t){return f(...[t])}function f(e){return e}'],
    ['is made by `new`', 'function run(t){return typeof new f(t)}function f(e){return{e}}'],
    ['may not be called', 'function run(t){return f?.(t)}function f(e){return e}'],
    ['loading calls', 'var a=f(1);function run(t){return a}function f(e){return e}'],
    ['means something else by a name', 'function run(URL){return[URL,f(1)]}function f(e){return URL.name}'],
  ])('has a function still that %s', (_, program) => {
    const { code, said } = inlined(program);
    expect(left(code.replace('function*', 'function '))).toEqual(['f', 'run']);
    expect(said).toEqual(asItWas(program).said);
  });

  it('keeps apart what is run by other events', () => {
    const program = 'function run(t){return f(t)}function f(e){return e?g(e):0}function g(e){return[e]}';
    expect(left(inlined(program, ['g']).code)).toEqual(['g', 'run']);
    expect(left(inlined(program, ['f', 'g']).code)).toEqual(['f', 'run']);
  });

  it('does the same, whatever calls what', () => {
    fc.assert(
      fc.property(programs, (program) => {
        expect(inlined(program).said).toEqual(asItWas(program).said);
      }),
      { numRuns: 40 },
    );
  });
});

/** Bodies with a place for a value, which is a call of the next function. */
const BODIES = [
  'return @',
  'let r=@;return[r,e]',
  'let{x:t=1,...r}={x:@};return[t,r,n]',
  'if(e)return @;log("after")',
  'for(let t of[1,2]){let r=@;if(r===t)return r;log(r)}',
  'return e?@:log("other")',
  'return n&&@,log("last")',
  'return log(e)??@',
  'let t=[];for(let r=0;r<2;r++)t.push(()=>[r,@]);return t.map(r=>r())',
  'try{log("try");return @}catch(t){return t.name}finally{log("end")}',
  'e=@;return[e,n]',
  'switch(@){case 0:return"zero";case 1:log("one")}return n',
  'let t={e,n:@};return{...t,r:n}',
  'throw new Error(n+@)',
  'let r=0;while(r<2&&@)r++;return r',
  'return[0,1].map(e=>@)',
  'return log(n)+@',
];
const PARAMETERS = ['e,n', 'e=log(8),n', '{length:e}={},n=e', 'e,[n]=[4]', 'e'];
const ARGUMENTS = ['e,log(2)', 'log(1),log(2)', 'void 0,log(3)', '"ab"', 'e', 'log(e),[7]', '[e],"xy"', ''];

const link = fc.record({
  body: fc.constantFrom(...BODIES),
  parameters: fc.constantFrom(...PARAMETERS),
  args: fc.constantFrom(...ARGUMENTS),
});

const programs = fc.array(link, { minLength: 2, maxLength: 6 }).map((links) => {
  const functions = links.map(({ body, parameters }, index) => {
    const next = links[index + 1];
    const call = next === undefined ? 'log("leaf")' : `f${index + 1}(${next.args})`;
    return `function f${index}(${parameters}){${parameters === 'e' ? 'let n=3;' : ''}${body.replace('@', call)}}`;
  });
  return `${functions.join('')}function run(e){return f0(e,5)}`;
});
