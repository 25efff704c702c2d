import { rootAsSeen } from '../context';
import { programOf } from '../installed-program';
import { isJsonObject, type Json } from '../json';
import type { Project } from '../project';

/** Placeholders for the directories of one machine, so that a recording can be replayed on another. */
const PROJECT = '«project»';
const GIT = '«git»';
const HOME = '«home»';
const PROGRAM = '«holdpoint»';

export interface PathPlaceholders {
  /** Replaces this machine's directories with placeholders. */
  hide(value: Json): Json;
  /** Replaces placeholders with this machine's directories. */
  restore(value: Json): Json;
}

type Pair = readonly [path: string, sign: string];

/** `cwd` shows by which symlink an agent has reached the project, and so how it names files. */
export function pathPlaceholders(
  { root, home, layout }: Pick<Project, 'root' | 'home' | 'layout'>,
  cwd = root,
): PathPlaceholders {
  const git = layout?.git ?? `${root}/.git`;
  const seen = rootAsSeen(cwd, root) ?? root;
  const program = programOf(home)
    .dist.filter((dir) => !dir.startsWith(`${root}/`))
    .map((dir): Pair => [dir.replace(/\/$/, ''), PROGRAM]);
  const pairs: Pair[] = [
    ...program,
    [root, PROJECT],
    // In a linked work tree it is outside the root.
    [git, GIT],
    ...(git.startsWith(`${root}/`) ? [[seen + git.slice(root.length), GIT] as const] : []),
    [seen, PROJECT],
    [home, HOME],
  ];
  const known = pairs.filter(
    ([path], at) => path.length > 1 && pairs.findIndex(([one]) => one === path) === at,
  );
  const [dashed, signs] = [root, PROJECT].map((path) => path.replace(/[^A-Za-z0-9«»]/g, '-'));
  const outward: Pair[] = [...known].sort(([a], [b]) => b.length - a.length);
  const patterns = outward.map(([path, sign]) => {
    return { path, sign, pattern: new RegExp(`(?<![\\w.-])${escaped(path)}(?![\\w.-])`, 'g') };
  });
  const away = (text: string): string => {
    let placed = text;
    for (const { path, sign, pattern } of patterns)
      if (placed.includes(path)) placed = placed.replace(pattern, sign);
    // Claude Code names the directory of a project's transcripts like this.
    return dashed === undefined || signs === undefined
      ? placed
      : placed.replaceAll(`/${dashed}/`, `/${signs}/`);
  };
  const inward: readonly Pair[] = [[root, PROJECT], [git, GIT], [home, HOME], ...program];
  const here = (text: string): string =>
    text.includes('«') ? inward.reduce((placed, [path, sign]) => placed.replaceAll(sign, path), text) : text;
  return { hide: (value) => mapTexts(value, away), restore: (value) => mapTexts(value, here) };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** By default also maps keys: state files have directories as keys. */
export function mapTexts(value: Json, change: (text: string) => string, changeKey = change): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change, changeKey));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      member === undefined ? [] : [[changeKey(key), mapTexts(member, change, changeKey)]],
    ),
  );
}
