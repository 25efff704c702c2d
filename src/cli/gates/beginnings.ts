import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { processState } from '../../exec/processes';
import { type Beginning, beginningIn, GATE_RECORDS, isBeginningFile } from '../../guards/gates/session';
import { type DocumentRef, type Layout, readDocument } from '../../state/documents';
import { REGISTRY, sessionsIn } from '../../state/sessions';
import type { Context } from '../context';
import { openProject } from '../project';

/** Where sessions of a project began, with the document that tells it. */
export function beginningsIn(layout: Layout): { readonly ref: DocumentRef; readonly beginning: Beginning }[] {
  return namesIn(join(layout.own, GATE_RECORDS)).flatMap((name) => {
    const ref = { base: 'own', path: `${GATE_RECORDS}/${name}`, format: 'json', keeping: 'counted' } as const;
    const beginning = beginningIn(readDocument(layout, ref));
    return beginning === undefined ? [] : [{ ref, beginning }];
  });
}

/** The facts that no person has accepted. */
export function weakerChecks(layout: Layout): readonly string[] {
  return [...new Set(beginningsIn(layout).flatMap(({ beginning }) => beginning.weaker))];
}

/** Where the newest session began that still runs in this work tree. */
export function liveBeginning(context: Context): Beginning | undefined {
  const project = openProject(context);
  if (project === undefined) return undefined;
  const registry = readDocument(project.layout, REGISTRY);
  const live = sessionsIn(
    registry.kind === 'present' ? registry.value : undefined,
    Date.now(),
    processState,
  ).filter(({ projectDir, alive }) => projectDir === project.root && alive);
  const found = beginningsIn(project.layout).map(({ beginning }) => beginning);
  const own = found.filter(({ sessionId }) => live.some((one) => one.sessionId === sessionId));
  return own.sort((a, b) => a.at - b.at).at(-1);
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter(isBeginningFile);
  } catch {
    return [];
  }
}
