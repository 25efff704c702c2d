import { describe, expect, it } from 'vitest';
import { asItWas, changed } from './both-ways';

/** Programs whose function `g` is folded, and the other names that are to be. */
const SAME: Record<string, [program: string, others?: string[], exported?: string]> = {
  'names of one pattern that several use': [
    'var b={x:1,y:2},{x:p,y:q}=b;function run(t){return t?g():q}function g(){return p}',
  ],
  'a pattern that one fold uses': [
    'var b={x:1,y:2},[p,q]=[b.x,b.y];function run(t){b.x=5;return t?g():0}function g(){return[p,q]}',
  ],
  'an exported variable': [
    'var a=[1,2];function run(t){return t?g():0}function g(){return a[0]}',
    [],
    'run as way,a as other',
  ],
  'an exported list that is spread': [
    'var a=[1],s=[...a];function run(t){return t?g():0}function g(){return s}',
    [],
    'run as way,a as other',
  ],
  'a function with a `this`': ['function run(t){return g()}function g(){return this===void 0}'],
  'a `this` in an arrow': ['function run(t){return g()()}function g(){return()=>this===void 0}'],
  'a `this` in a default value': ['function run(t){return g()}function g(e=this){return e===void 0}'],
  'a variable with a function that has a `this`': [
    'var a=function(){return this===void 0};function run(t){return t?a():g()}function g(){return a()}',
    ['a'],
  ],
  'another name of such a function': [
    'var a=f;function run(t){return[a(),f(),t&&g()]}function f(){return this===void 0}function g(){return a()}',
    ['a', 'f'],
  ],
  'a `this` that is a method’s': [
    'var a={n:2,m(){return this.n}};function run(t){return[a.m(),g()]}function g(){return a.m()}',
    ['a'],
  ],
  'a tag': [`function run(t){return g\`a\${t}\`}function g(e,n){return[e.length,n,this===void 0]}`],
  'a function that is given another one': [
    'function run(t){let n=g();g=()=>5;return[n,g(),f()]}function g(){return 1}function f(){return g()}',
    ['f'],
  ],
  'a member that changes': [
    'var c={n:0},s=c.n;function run(t){c.n=5;return g()}function g(){return s}',
    ['s'],
  ],
  'a name in capitals of one’s own': [
    'var c={O_RDWR:0},s=c.O_RDWR;function run(t){c.O_RDWR=5;return g()}function g(){return s}',
  ],
  'a variable that changes': ['var c=0,s=c;function run(t){c=7+t;return g()}function g(){return s}'],
  'a list of one that changes': [
    'var c=0,s=[c];function run(t){c=7+t;return[s,g()]}function g(){return s}',
    ['s'],
  ],
  'a variable that is given its value later': [
    'var s=[c],c=1;function run(t){return g()}function g(){return s}',
  ],
  'a list that is spread': ['var a=[1],s=[...a];function run(t){a.push(t);return g()}function g(){return s}'],
  'a list with parts that is spread': [
    'var a=[[1]],s=[...a,...a[0]];function run(t){a.map(e=>e.push(t));return g()}function g(){return s}',
  ],
  'an object that is spread': [
    'var a={n:1},s={...a};function run(t){a.n=t;return g()}function g(){return s}',
  ],
  'a text of a list': [`var a=[1],s=\`\${a}\`;function run(t){a.push(t);return g()}function g(){return s}`],
  'a sum with a list': ['var a=[1],s=""+a;function run(t){a.push(t);return g()}function g(){return s}'],
  'a number of a list': ['var a=[1],s=-a;function run(t){a[0]=t;return g()}function g(){return s}'],
  'what is in an object': ['var a={},s="x"in a;function run(t){a.x=t;return g()}function g(){return s}'],
  'a set of a list': [
    'var a=[1],s=new Set(a);function run(t){a.push(t);return g()}function g(){return[...s]}',
  ],
  'a map of pairs': [
    'var a=[1,2],s=new Map([a]);function run(t){a[0]=t;return g()}function g(){return[...s]}',
  ],
  'a pattern of a variable': [
    'var a=["x"],s=new RegExp(a);function run(t){a[0]="y";return g()}function g(){return s.test("x")}',
  ],
  'an array class of one’s own': [
    'var a=0,OwnArray=class{n=++a},s=new OwnArray;function run(t){return[a,g()]}function g(){return s.n}',
  ],
  'what is taken away': ['var o={a:1},d=delete o.a;function run(t){return[o.a,g()]}function g(){return d}'],
  'a field of a class': [
    'var n=0,a=class{static x=n};function run(t){n=5;return g()}function g(){return a.x}',
  ],
  'a block of a class': [
    'var n={m:1},a=class{static{this.x=n.m}};function run(t){n.m=5;return g()}function g(){return a.x}',
  ],
  'a name in a class': [
    'var n=["a"],a=class{static[n[0]]=1};function run(t){n[0]="b";return g()}function g(){return a.a}',
  ],
  'a row of expressions': ['var n=0,s=(n++,1);function run(t){return[n,g()]}function g(){return s}'],
  'what may be missing': ['var n,s=n?.a;function run(t){n={a:t};return g()}function g(){return[s]}'],
};

describe('a program with functions folded', () => {
  it.each(Object.entries(SAME))('does the same: %s', (_, [program, others = [], exported]) => {
    const { said } = changed(program, ['g', ...others], exported);
    expect(said).toEqual(asItWas(program, exported).said);
  });

  it.each([
    ['texts and numbers', `var a=60*1e3,s=\`\${a}x\`+"y"`],
    ['lists and objects', 'var a={n:[1,/x/,null]},s=[a,{m(){return this}}]'],
    ['functions', 'var s=e=>e.n'],
    ['collections', 'var a="x",s=new Map([[a,new Set(["y",a])],["z",()=>1]])'],
    ['patterns', `var a="x",s=new RegExp(\`\${a}+\`,"g")`],
    ['classes', 'var a=1,s=class extends Error{static n=a;#m=2;get m(){return this.#m}}'],
    ['a list that is only read', 'var a=["x"],s=["y",...a]'],
    ['numbers of Node', 'var s=Number.MAX_SAFE_INTEGER|1'],
  ])('has constants out of the way: %s', (_, variables) => {
    const program = `${variables};function run(t){return t?g():0}function g(){return typeof s}`;
    const { code, said } = changed(program, ['g']);
    expect(code.indexOf('s=')).toBeGreaterThan(code.indexOf('open0=()=>'));
    expect(said).toEqual(asItWas(program).said);
  });
});
