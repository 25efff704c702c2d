import { describe, expect, it } from 'vitest';
import { asItWas, changed, left } from './both-ways';

/** An object with a method that tells whether it has the object as its `this`. */
const O = 'let o={x:t,m(){return this===void 0?"nobody":this.x}};';

const SAME: Record<string, string> = {
  'a member that is returned and called': `function run(t){${O}return f(o)(1)}function f(e){return e.m}`,
  'a member that is handed in and called': `function run(t){${O}return[f(o.m)]}function f(e){return e(1)}`,
  'a member that is handed in, returned and called': `function run(t){${O}return f(o.m)(1)}function f(e){return e}`,
  'a member through two functions': `function run(t){${O}return f(o)(1)}function f(e){return g(e)}function g(e){return e.m}`,
  'a member that may be called': `function run(t){${O}return f(o)?.(1)}function f(e){return e.m}`,
  'a member that may be missing': `function run(t){${O}return f(o)(1)}function f(e){return e?.m}`,
  'a member by a name that is worked out': `function run(t){${O}return f(o,log("m"))(1)}function f(e,n){return e[n]}`,
  'a member as a tag': `function run(t){${O}return f(o)\`a\`}function f(e){return e.m}`,
  'a member that is handed in as a tag': `function run(t){${O}return[f(o.m)]}function f(e){return e\`a\`}`,
  'a member that would be taken away': `function run(t){${O}return[delete f(o),o.x]}function f(e){return e.x}`,
  'a name that would be taken away': `function run(t){${O}return[delete f(o),o.x]}function f(e){return e}`,
  'a member that waits':
    'function run(t){return[...e()];function*e(){yield f(yield 1)(2)}}function f(e){return e?.m??log}',
  'a member of a private thing':
    'function run(t){class e{#n(){return this===void 0}m(){return f(this.#n)}}return new e().m()}function f(e){return e(1)}',
  'a finally that takes the value back':
    'function run(t){let o=f(t);return[o]}function f(e){try{return 1}finally{if(e)return}}',
  'a finally that leaves its own block':
    'function run(t){let o=f(t);return[o]}function f(e){n:try{return 1}finally{if(e)break n}}',
  'a finally that goes round again':
    'function run(t){let o=f(t);return[o]}function f(e){for(let n of[1,2])try{return n}finally{if(e)continue}}',
  'a finally around the call':
    'function run(t){try{return 1}finally{let o=f(t);log(o)}}function f(e){if(e)return 5;log(e)}',
  'a `var` that is known outside of its block':
    'function run(t){if(t){var o=f(t)}return[o]}function f(e){for(let n of[e])return[n]}',
  'a `var` of the turn before':
    'function run(t){for(var i=0;i<3;i++){var o=f(t,o)}return[o]}function f(e,n){try{log(e)}finally{}return[e,n]}',
  'a `var` that has no value yet':
    'function run(t){let n=f(o);var o=5;return[n()]}function f(e){return()=>e}',
  'a `var` of each turn':
    'function run(t){let n=[];for(let e of[1,2]){var o=e;n.push(f(o))}return n.map(e=>e())}function f(e){return()=>e}',
  'a `const` that must not change':
    'function run(t){const n=f(t);log(n);return n.push(n+=1)}function f(e){for(let o of[e])return[o]}',
  'functions in default values':
    'function run(t){return[f(t,void 0,t)]}function f(h,e=[10].map(g=>g+h),g){return[e,g]}',
  'names in default values': 'function run(z){return[f(z)]}function f(p,q=[10,20].map(z=>z+p)){return q}',
  'names in patterns of parameters':
    'function run(z){return[f(z,{})]}function f(p,{q=[10].map(z=>z+p)}){return q}',
  'names of functions in default values':
    'function run(t){let n=t;return[f(n)]}function f(p,q=function n(e){return e?n(e-1):p}){return q(2)}',
  'functions of default values in a head':
    'function run(t){let o=[],i=0;while(f(o,i++));return o.map(e=>e())}function f(e,n,h=()=>n){return e.push(h),n<2}',
  'a field of a class in a head':
    'function run(t){let o=[],i=0;while(f(o,i++));return o.map(e=>new e().x)}function f(e,n){let h=n;return e.push(class{x=h}),n<2}',
  'a loop whose head is about itself':
    'function run(t){let n=[],o=[];for(let e=f(()=>e,o);n.length<3;e++)n.push(e,o[0]());return n}function f(e,h){for(let i of[h])i.push(e);return 3}',
  'a name of a property in the making':
    'function run(t){let k={toString(){return log("k")}};return{[k]:f(t)}}function f(e){for(let n of[log(e)])return n}',
};

describe('a value that was returned by a function', () => {
  it.each(Object.entries(SAME))('is the same without the function: %s', (_, program) => {
    expect(changed(program).said).toEqual(asItWas(program).said);
  });

  it.each([
    ['a member that is returned and called', ['run']],
    ['a member that is handed in and called', ['run']],
    ['a `var` that is known outside of its block', ['f', 'run']],
    ['a finally that takes the value back', ['f', 'run']],
    ['a finally around the call', ['run']],
    ['names in default values', ['run']],
  ])('leaves these functions: %s', (name, names) => {
    expect(left(changed(SAME[name] ?? '').code)).toEqual(names);
  });
});
