import type { FoundCheck, Kind } from './kind';
import type { ProjectFiles } from './project-files';
import { checksAmong } from './scripts';

const TEST_FILE = /(?:^|[._])test\.[cm]?[jt]sx?$/;

/** Projects of Deno: their tasks, and the tools that Deno has by itself where there is something for them. */
export const denoKind: Kind = {
  name: 'deno',
  recognise(files) {
    const file = ['deno.json', 'deno.jsonc'].find(files.has);
    if (file === undefined) return undefined;
    const { checks, passedOver } = checksAmong(files.json(file)['tasks'], `${file}, tasks`, (task, more) =>
      `deno task ${task} ${more}`.trim(),
    );
    const has = (purpose: FoundCheck['purpose']): boolean => checks.some((one) => one.purpose === purpose);
    const own: FoundCheck[] = [
      ...(has('test') || !hasTests(files) ? [] : [builtIn('test', 'deno test', file)]),
      ...(has('lint') ? [] : [builtIn('lint', 'deno lint', file)]),
    ];
    return { checks: [...checks, ...own], passedOver };
  },
};

function builtIn(purpose: FoundCheck['purpose'], command: string, source: string): FoundCheck {
  return { purpose, command, source };
}

function hasTests(files: ProjectFiles): boolean {
  return ['.', 'src', 'test', 'tests'].some((dir) => files.names(dir).some((name) => TEST_FILE.test(name)));
}
