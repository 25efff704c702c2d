import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/failure';
import { type Beginning, beginningIn, GATE_RECORDS, isBeginningFile } from '../../guards/gates/session';
import { type DocumentRef, type Layout, readDocument } from '../../state/documents';
import type { Context } from '../context';
import { openProject } from '../project';
import { readRegistry } from '../req/find-session';

/** The recorded starts of sessions in a project, each with its document. */
export function beginningsIn(layout: Layout): { readonly ref: DocumentRef; readonly beginning: Beginning }[] {
  const names = attempt(() => readdirSync(join(layout.own, GATE_RECORDS))) ?? [];
  return names.filter(isBeginningFile).flatMap((name) => {
    const ref = { base: 'own', path: `${GATE_RECORDS}/${name}`, format: 'json', keeping: 'counted' } as const;
    const beginning = beginningIn(readDocument(layout, ref));
    return beginning === undefined ? [] : [{ ref, beginning }];
  });
}

/** How checks became weaker during sessions, where no person has accepted it. */
export function weakerChecks(layout: Layout): readonly string[] {
  return [...new Set(beginningsIn(layout).flatMap(({ beginning }) => beginning.weaker))];
}

/** The recorded start of the newest live session in this work tree. */
export function liveBeginning(context: Context): Beginning | undefined {
  const project = openProject(context);
  if (project === undefined) return undefined;
  const live = readRegistry(project.layout, Date.now()).sessions.filter(
    ({ projectDir, alive }) => projectDir === project.root && alive,
  );
  const found = beginningsIn(project.layout).map(({ beginning }) => beginning);
  const own = found.filter(({ sessionId }) => live.some((one) => one.sessionId === sessionId));
  return own.sort((a, b) => a.at - b.at).at(-1);
}
