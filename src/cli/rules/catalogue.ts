import { type Mode, modeIn } from '../../core/effect-kinds';
import type { Discipline } from '../../core/guard';
import { type JsonObject, objectIn, textIn } from '../../core/json';
import { guardConfig, loadConfig } from '../../core/project';
import type { GatesConfig } from '../../guards/gates/config';
import type { RulesConfig } from '../../guards/rules/config';
import { FAILED_REF } from '../../guards/rules/context';
import { RULE_NAMES, type WorkflowModel } from '../../guards/workflow/model';
import { readDocument } from '../../state/documents';
import { type ProjectContext, requirementsConfig } from '../project';

/** The kind of a rule, as `holdpoint rules` shows it. */
export type RuleKind = 'requirement' | 'gate' | 'workflow' | 'rule';

/** A rule of the project: what is known without an event. */
export interface Rule {
  /** Its name on the command line and in the statistics. */
  readonly name: string;
  readonly kind: RuleKind;
  readonly guard: Discipline;
  readonly mode: Mode;
  /** `file:line:column` of its definition; empty for a built-in rule. */
  readonly place: string;
  readonly state: 'on' | 'off' | 'broken';
  /** Why it is not on. */
  readonly why: string;
  /** Only for gates. This name has no kind as a prefix. */
  readonly gate?: { readonly kind: 'check' | 'review'; readonly name: string };
}

/** All rules of a project, with the mode that is in effect. */
export function rulesOf(project: ProjectContext): readonly Rule[] {
  const config = loadConfig(project, project.chunks);
  const { compileConfig } = project.chunks.part('compile-config');
  const files = project.configured ? compileConfig(project.root, project.home) : undefined;
  const broken = new Map(
    (files?.diagnostics ?? []).flatMap(({ severity, switchesOff, message, place }) =>
      severity === 'error' && switchesOff !== undefined
        ? [[switchesOff, { why: message, place: `${place.file}:${place.line}:${place.column}` }] as const]
        : [],
    ),
  );
  const defined = objectIn(files?.model.value, 'requirements');
  const gates = guardConfig(config, 'gates') as GatesConfig | undefined;
  const all = [
    ...requirementRules(defined, requirementsConfig(config)?.requirements ?? [], broken),
    ...gateRules(gates, objectIn(files?.model.value, 'gates'), broken),
    ...workflowRules(guardConfig(config, 'workflow') as WorkflowModel | undefined),
    ...ownRules(guardConfig(config, 'rules') as RulesConfig | undefined, project),
  ];
  return distinct(all);
}

/** Whether a rule is on. If not, a mistake in its config is the reason, else `why`. */
function stateOfRule(trouble: { readonly why: string } | undefined, isOn: boolean, why: string) {
  if (trouble !== undefined) return { state: 'broken', why: trouble.why } as const;
  return isOn ? ({ state: 'on', why: '' } as const) : ({ state: 'off', why } as const);
}

type Broken = ReadonlyMap<string, { readonly why: string; readonly place: string }>;

type Compiled = { readonly name: string; readonly mode?: Mode; readonly place: string };

/** The rules of one mapping in the config, also those that were not compiled: they are off, or have mistakes. */
function rulesIn(section: string, defined: JsonObject, compiled: readonly Compiled[], broken: Broken) {
  const names = new Set([...compiled.map(({ name }) => name), ...Object.keys(defined)]);
  return [...names].map((name) => {
    const known = compiled.find((one) => one.name === name);
    const trouble = broken.get(`${section}.${name}`);
    const mode = known?.mode ?? modeIn(objectIn(defined, name)['mode']);
    return {
      name,
      mode,
      place: known?.place ?? trouble?.place ?? '',
      trouble,
      isCompiled: known !== undefined,
    };
  });
}

function requirementRules(defined: JsonObject, compiled: readonly Compiled[], broken: Broken): Rule[] {
  return rulesIn('requirements', defined, compiled, broken).map(({ trouble, isCompiled, ...rule }) => {
    const state = stateOfRule(trouble, isCompiled, '`enabled` is not true');
    return { ...rule, kind: 'requirement', guard: 'requirements', ...state };
  });
}

function gateRules(config: GatesConfig | undefined, defined: JsonObject, broken: Broken): Rule[] {
  return (['check', 'review'] as const).flatMap((kind) => {
    const list = `${kind}s` as const;
    const used = (config?.entryPoints ?? []).flatMap((entry) => entry[list]);
    const rules = rulesIn(`gates.${list}`, objectIn(defined, list), config?.[list] ?? [], broken);
    return rules.map(({ trouble, isCompiled: _, ...rule }): Rule => {
      const state = stateOfRule(trouble, used.includes(rule.name), 'no entry point names it');
      return { ...rule, kind: 'gate', guard: 'gates', gate: { kind, name: rule.name }, ...state };
    });
  });
}

/** Empty if no workflow is configured. */
function workflowRules(model: WorkflowModel | undefined): Rule[] {
  if (model === undefined || model.byHand === true) return [];
  return RULE_NAMES.map((name) => {
    const { mode } = model.rules[name];
    const rule = { kind: 'workflow', guard: 'workflow', name, mode: modeIn(mode), place: '' } as const;
    return { ...rule, ...stateOfRule(undefined, mode !== 'disabled', '`mode: disabled`') };
  });
}

/** A rule that failed when it last ran is broken too, until it works again or its files change. */
function ownRules(config: RulesConfig | undefined, { layout }: ProjectContext): Rule[] {
  const document = readDocument(layout, FAILED_REF);
  const failed = document.kind === 'present' ? document.value : undefined;
  return (config?.rules ?? []).map(({ name, mode, file, place: at, state, why = '', source = '' }): Rule => {
    const place = source === '' && state === 'on' ? file : at;
    const rule = { kind: 'rule', guard: 'rules', name, mode, place } as const;
    const failure = objectIn(failed, name);
    return state === 'on' && failure['source'] === source
      ? { ...rule, state: 'broken', why: `${textIn(failure, 'place')}: ${textIn(failure, 'why')}` }
      : { ...rule, state, why };
  });
}

/** Prefixes a gate with its kind if another rule has the same name. */
function distinct(rules: readonly Rule[]): Rule[] {
  return rules.map((rule) => {
    const isShared = rules.some((other) => other !== rule && other.name === rule.name);
    return isShared && rule.gate !== undefined ? { ...rule, name: `${rule.gate.kind}:${rule.name}` } : rule;
  });
}

/** The name under which a rule is counted: the journal names gates once per entry point. */
export function figuresName(rules: readonly Rule[], guard: string, spoken: string): string {
  if (guard !== 'gates') return spoken;
  const fits = rules.filter(
    ({ gate }) =>
      gate !== undefined && spoken.startsWith(`${gate.kind}:`) && spoken.endsWith(`:${gate.name}`),
  );
  const [longest] = fits.sort((a, b) => (b.gate?.name.length ?? 0) - (a.gate?.name.length ?? 0));
  return longest?.name ?? spoken;
}

/** The file in a place such as `config.yaml:2:3`. */
export function fileOf(place: string): string {
  return place.replace(/:\d+(?::\d+)?$/, '');
}
