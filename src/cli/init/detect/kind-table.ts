import { denoKind } from './deno';
import { goKind } from './go';
import type { Kind } from './kind';
import { makeKind } from './make';
import { nodeKind } from './node';
import { pythonKind } from './python';
import { dotnetKind, elixirKind, jvmKind, phpKind, rubyKind, rustKind } from './simple-kinds';

/** Every kind of project that is told apart. Where two have a check for one purpose, both are taken; make comes last. */
export const KINDS: readonly Kind[] = [
  nodeKind,
  denoKind,
  rustKind,
  goKind,
  pythonKind,
  rubyKind,
  jvmKind,
  phpKind,
  elixirKind,
  dotnetKind,
  makeKind,
];
