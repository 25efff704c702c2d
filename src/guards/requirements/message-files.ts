import * as v from 'valibot';
import type { Layer } from '../../config/files';
import { pointerOf } from '../../config/pointer';
import type { CompileContext, SeedFile } from '../../config/section';
import { text } from '../../config/section';
import { notRead } from '../../config/validate';

/** The keys of the model under which message files stand: each layer for itself, since no two files mix. */
export const MESSAGES = 'messages.yaml';
export const TEMPLATES = 'message templates';

/** Texts that Holdpoint does not use. Without them nothing is held less, so there is no warning. */
export const UNUSED_TEXTS = ['success_message', 'header', 'action_label', 'fallback_text'] as const;

const messageFile = v.strictObject({
  version: v.optional(v.unknown()),
  blocking_message: text,
  short_message: text,
  ...v.entriesFromList(UNUSED_TEXTS, text),
});

function byLayer<Schema extends v.GenericSchema>(schema: Schema) {
  const files = v.optional(v.record(v.string(), schema));
  return v.strictObject({ global: files, project: files, local: files });
}

export const messageFiles = byLayer(messageFile);
export const templateFiles = byLayer(v.record(v.string(), v.unknown()));

type MessageFiles = v.InferOutput<typeof messageFiles>;
type TemplateFiles = v.InferOutput<typeof templateFiles>;
export type MessageFile = v.InferOutput<typeof messageFile>;

/** Where a file of words for one requirement may lie, named after the requirement. */
export const MESSAGE_SEEDS: readonly SeedFile[] = [
  seed('global', 'home', '.claude/messages/*.yaml'),
  seed('project', 'project', '.claude/messages/*.yaml'),
  seed('local', 'project', '.claude/messages.local/*.yaml'),
];

function seed(layer: Layer, base: SeedFile['base'], path: string): SeedFile {
  const mount = (key: string, name: string): readonly string[] => [
    isTemplate(name) ? TEMPLATES : MESSAGES,
    layer,
    name,
    key,
  ];
  return { layer, base, path, yaml: '1.1', mount, configures: false };
}

/** Files such as `_templates.yaml` and `_status.yaml` belong to no requirement. */
export function isTemplate(name: string): boolean {
  return name.startsWith('_');
}

/** The words for a requirement: the file of the highest layer counts whole, without those below it. */
export function messagesFor(files: MessageFiles | undefined, name: string): MessageFile {
  for (const layer of ['local', 'project', 'global'] as const) {
    const named = files?.[layer];
    const found = named !== undefined && Object.hasOwn(named, name) ? named[name] : undefined;
    if (found !== undefined) return found;
  }
  return {};
}

/** Says of each template file, at its first line, that nothing reads it. */
export function reportTemplates(files: TemplateFiles | undefined, context: CompileContext): void {
  for (const [layer, named] of Object.entries(files ?? {})) {
    for (const [name, content] of Object.entries(named ?? {})) {
      const pointer = pointerOf([TEMPLATES, layer, name, Object.keys(content)[0] ?? '']);
      const message = notRead(`${name}.yaml`);
      context.report(pointer, { code: 'config.not-read', severity: 'warning', message });
    }
  }
}
