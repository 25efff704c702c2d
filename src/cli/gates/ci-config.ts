import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Diagnostic } from '../../config/diagnostics';
import { readConfig } from '../../config/read-config';
import { name, type Section, section } from '../../config/section';
import type { Json, JsonObject } from '../../core/json';
import type { GatesConfig } from '../../guards/gates/config';

const json: v.GenericSchema<Json> = v.any();
const names = v.nullish(v.array(name));
const step = v.strictObject({
  name,
  run: name,
  working_directory: v.optional(name),
  // For the older program's files: nobody has ever looked at it.
  if: v.optional(v.union([v.string(), v.boolean()])),
});
const check = v.strictObject({
  name,
  requires_runtimes: names,
  requires_services: names,
  setup: v.nullish(v.array(step)),
});
const ci = v.strictObject({
  runtimes: v.nullish(v.record(v.string(), json)),
  services: v.nullish(v.record(v.string(), json)),
  setup: v.nullish(v.array(step)),
  checks: v.nullish(v.array(check)),
});

export type CiStep = v.InferOutput<typeof step>;
export type CiCheck = v.InferOutput<typeof check>;

/** What the checks need on a build server. */
export interface CiConfig {
  readonly runtimes: JsonObject;
  readonly services: JsonObject;
  readonly setup: readonly CiStep[];
  readonly checks: readonly CiCheck[];
}

interface ReadCi {
  /** As people know it, relative to the root. */
  readonly file: string;
  /** Absent where there is no such file. */
  readonly ci: CiConfig | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const NOTHING: CiConfig = { runtimes: {}, services: {}, setup: [], checks: [] };

/** Reads `ci.yml` beside the gates' config. Only commands want it, so it is no part of the compiled config. */
export function readCi({ root, config }: { readonly root: string; readonly config: GatesConfig }): ReadCi {
  const file = `${config.home}/ci.yml`;
  if (!existsSync(join(root, file))) return { file, ci: undefined, diagnostics: [] };
  let found = NOTHING;
  const keep = (read: CiConfig): void => {
    found = read;
  };
  // Nothing of the person's own belongs to it, so a place that holds no files stands for the home.
  const { diagnostics } = readConfig({ root, home: join(root, file), sections: [ciSection(file, keep)] });
  return { file, ci: found, diagnostics: diagnostics.filter(({ place }) => place.file === file) };
}

function ciSection(file: string, keep: (ci: CiConfig) => void): Section {
  return section({
    guard: 'gates',
    keys: { ci },
    seedOnly: ['ci'],
    files: [
      {
        layer: 'project',
        base: 'project',
        path: file,
        yaml: '1.2',
        mount: (key) => ['ci', key],
      },
    ],
    units: ['ci/checks/*', 'ci/setup/*'],
    tolerated: [],
    compile({ ci: read }) {
      const { runtimes, services, setup, checks } = read ?? {};
      keep({
        runtimes: (runtimes ?? {}) as JsonObject,
        services: (services ?? {}) as JsonObject,
        setup: setup ?? [],
        checks: checks ?? [],
      });
      return undefined;
    },
  });
}
