import { formatDiagnostic } from '../config/diagnostics';
import { findCandidates } from '../config/find';
import { type ReadConfig, readConfig } from '../config/read-config';
import { SECTIONS } from '../guards/guard-table';
import { stampOf } from './config-cache';

export { formatDiagnostic };

export interface CompiledFiles extends ReadConfig {
  /** The diagnostics as people read them. */
  readonly problems: readonly string[];
  /** What each candidate was like before it was read. */
  readonly stamps: readonly (readonly [file: string, stamp: string])[];
}

/** Reads and compiles the config of all disciplines. */
export function compileConfig(root: string, home: string): CompiledFiles {
  // Stamped first: an edit between stamp and reading costs one more compilation, the other way round it is lost.
  const { files, directories } = findCandidates({ root, home }, SECTIONS);
  const stamps = [...directories, ...files.map((file) => file.path)].map(
    (file) => [file, stampOf(file)] as const,
  );
  const read = readConfig({ root, home, sections: SECTIONS });
  return { ...read, stamps, problems: read.diagnostics.map(formatDiagnostic) };
}
