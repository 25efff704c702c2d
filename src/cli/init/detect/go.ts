import type { Kind } from './kind';

const LINTER = ['.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json'];

/** Modules of Go, and work spaces of several. */
export const goKind: Kind = {
  name: 'go',
  recognise(files) {
    const work = files.text('go.work');
    // From the root of a work space `./...` does not reach its modules.
    if (work !== '') return { checks: [], members: modulesOf(work).filter((dir) => dir !== '.') };
    if (!files.has('go.mod')) return undefined;
    const linter = LINTER.find(files.has);
    return {
      checks: [
        { purpose: 'test', command: 'go test ./...', source: 'go.mod' },
        linter === undefined
          ? { purpose: 'lint', command: 'go vet ./...', source: 'go.mod' }
          : { purpose: 'lint', command: 'golangci-lint run', source: linter },
      ],
    };
  },
};

function modulesOf(work: string): string[] {
  const bare = work.replace(/\/\/.*$/gm, '');
  const listed = [...bare.matchAll(/^use\s*\(([^)]*)\)/gm)].flatMap(([, inner = '']) => inner.split('\n'));
  const single = [...bare.matchAll(/^use\s+([^(\s]+)/gm)].map(([, path = '']) => path);
  return [...listed, ...single]
    .map((path) => path.trim().replace(/^\.\/|\/+$/g, ''))
    .filter((path) => path !== '' && !path.startsWith('..'));
}
