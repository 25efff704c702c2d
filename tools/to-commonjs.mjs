// Turns a bundle that esbuild wrote as an ES module into CommonJS without esbuild's wrappers.
// Those define every export by a getter, ask for `node:fs` once for each source file, and look a
// function up in its module at every call; an event that lasts milliseconds feels each of the three.
import { parseSync } from 'oxc-parser';
import { foldFunctions } from './fold-functions.mjs';
import { inlineFunctions } from './inline-functions.mjs';
import { nestScopes } from './nest-scopes.mjs';
import { refuseShadows, textOf, topLevelOf } from './top-level.mjs';

/**
 * The same code with each thing that it imports asked for once, plain assignments for its exports, and functions that
 * are seldom run out of the way. `nameFor` may give functions and variables another name, by where they are from.
 */
export function toCommonJs(code, { originOf, foldOf, nameFor }) {
  const { module, program } = parsed('chunk.mjs', code);
  const { head, first } = importsOf(module.staticImports);
  refuseOtherExports(program);
  const exported = module.staticExports.flatMap(({ entries }) => entries);
  const own = { body: program.body.filter(({ type }) => !/^(?:Import|Export)/.test(type)) };
  const imported = module.staticImports.flatMap(({ entries }) =>
    entries.map(({ localName }) => localName.value),
  );
  refuseShadows(own, imported);
  const wanted = exported.map(({ localName }) => localName.name);
  const statements = topLevelOf(own);
  refuseChanging(statements, wanted);
  const originAt = originsByName(statements, originOf);
  const names = new Map([...first, ...namesFrom(statements, from(originAt, nameFor))]);
  const fold = from(originAt, foldOf);
  // Who gives functions a name wants to see each of them. What stands in one fold is run by the same events.
  const isMeant = (caller, callee) =>
    !names.has(callee) && fold({ declares: [caller] }) === fold({ declares: [callee] });
  const lean = inlineFunctions(own, code, { isMeant, wanted, imported });
  const { program: inlined } = parsed('chunk.mjs', lean);
  refuseShadows(inlined, imported);
  const body = reworded(foldFunctions(inlined, lean, fold, wanted), names);
  const tail = exported.map(
    ({ exportName, localName: { name } }) => `exports.${exportName.name}=${names.get(name) ?? name};`,
  );
  const whole = `${head}${body}${tail.join('')}`;
  return `"use strict";${nestScopes(parsed('chunk.cjs', whole).program, whole)}\n`;
}

function parsed(name, code) {
  const result = parseSync(name, code);
  if (result.errors.length > 0) throw new Error(result.errors[0].message);
  return result;
}

/** As esbuild writes them: the names of things that are declared elsewhere in the bundle. */
function refuseOtherExports({ body }) {
  const other = body.find(
    ({ type, declaration, source }) =>
      type.startsWith('Export') && (type !== 'ExportNamedDeclaration' || declaration || source),
  );
  if (other !== undefined) throw new Error(`only names are expected to be exported, not by ${other.type}`);
}

/** Who loads a chunk gets the values that its exports have then. */
function refuseChanging(statements, wanted) {
  const changing = statements.filter(({ isAssigned }) => isAssigned).flatMap(({ declares }) => declares);
  const name = wanted.find((one) => changing.includes(one));
  if (name !== undefined) throw new Error(`what is exported is given another value: ${name}`);
}

/** Every source file has a name of its own for what it imports; the first one of them serves all. */
function importsOf(staticImports) {
  const modules = new Map();
  const first = new Map();
  for (const { moduleRequest, entries } of staticImports) {
    const names = modules.get(moduleRequest.value) ?? new Map();
    modules.set(moduleRequest.value, names);
    for (const { importName, localName } of entries) {
      if (importName.kind !== 'Name')
        throw new Error(`only named imports are expected here, not ${localName.value}`);
      if (names.has(importName.name)) first.set(localName.value, names.get(importName.name));
      else names.set(importName.name, localName.value);
    }
  }
  const asked = [...modules].map(([module, names]) => {
    const pairs = [...names].map((pair) => pair.join(':'));
    return `{${pairs.join()}}=require(${JSON.stringify(module)})`;
  });
  return { head: asked.length > 0 ? `const ${asked.join()};` : '', first };
}

/** Where statements are from, also when they stand elsewhere. */
function originsByName(statements, originOf) {
  const origins = new Map(statements.map((one) => [one.declares[0], originOf(one)]));
  return ({ declares: [name] }) => origins.get(name);
}

/** Asks about a statement by where it is from. */
function from(originOf, answerFor) {
  return (one) => {
    const origin = originOf(one);
    return origin && answerFor(origin, one);
  };
}

function namesFrom(statements, nameFor) {
  const named = statements.filter((one) => one.isVariable || one.node.type === 'FunctionDeclaration');
  return named.map((one) => [one.declares[0], nameFor(one)]).filter(([, name]) => name !== undefined);
}

function reworded(code, words) {
  return textOf(topLevelOf(parsed('chunk.cjs', code).program), code, (name) => words.get(name));
}
