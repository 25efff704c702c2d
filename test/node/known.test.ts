import fs from 'node:fs';
import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { isKnownNode, KNOWN_NODES } from '../../src/node/known';

/*
 * The binding is called as Node's own functions call it. Those are read here: whoever adds a version to the list runs
 * this with that version, and it fails where one of them has come to call something else.
 */

const CALLS = {
  openSync: "binding.open(path,stringToFlags(flags),parseFileMode(mode,'mode',0o666))",
  closeSync: 'binding.close(fd)',
  readSync: 'binding.read(fd,buffer,offset,length,position)',
  existsSync: 'binding.existsSync(path)',
  readFileSync: 'binding.readFileUtf8(path,stringToFlags(options.flag))',
  readlinkSync: 'binding.readlink(path,options.encoding)',
  symlinkSync: 'binding.symlink(preprocessSymlinkDestination(target,type,path),path,',
  unlinkSync: 'binding.unlink(path)',
  renameSync: 'binding.rename(oldPath,newPath)',
  fsyncSync: 'binding.fsync(fd)',
  mkdirSync: 'binding.mkdir(path,mode,recursive)',
  statSync: 'binding.stat(path,options.bigint,undefined,options.throwIfNoEntry)',
  lstatSync: 'binding.lstat(path,options.bigint,undefined,options.throwIfNoEntry)',
  fstatSync: 'binding.fstat(fd,options.bigint,undefined,false',
} as const;

/** Without spaces and last commas, and without what leaves a number or, where there are no drives, a path as it is. */
function plain(source: unknown): string {
  const text = String(source).replace(/\s+/g, '').replaceAll(',)', ')');
  return text
    .replace(/(?:pathModule\.toNamespacedPath|getValidatedPath)\((\w+)(?:,'\w+')?\)/g, '$1')
    .replace("parseFileMode(mode,'mode')", 'mode')
    .replaceAll(',)', ')');
}

describe.skipIf(!isKnownNode(process.version))(
  'in a Node that is listed as known (skipped in any other)',
  () => {
    it.each(Object.entries(CALLS))('%s calls the binding as we do', (name, call) => {
      expect(plain(fs[name as keyof typeof CALLS])).toContain(call);
    });

    it('writeSync does, for texts and for bytes', () => {
      const source = plain(fs.writeSync);
      expect(source).toContain('binding.writeString(fd,buffer,offset,length,undefined,ctx)');
      expect(source).toContain('binding.writeBuffer(fd,buffer,offset,length,position,undefined,ctx)');
    });

    it('realpathSync.native does', () => {
      expect(plain(fs.realpathSync.native)).toContain('binding.realpath(path,options.encoding)');
    });

    it('a script is made and run as we do it', () => {
      expect(plain(vm.Script)).toContain(
        'super(code,filename,lineOffset,columnOffset,cachedData,produceCachedData,parsingContext,hostDefinedOptionId)',
      );
      expect(plain(vm.Script.prototype.runInThisContext)).toContain(
        'ReflectApply(super.runInContext,this,args)',
      );
    });
  },
);

describe('the list of known versions', () => {
  const versions = KNOWN_NODES.trim().split(' ');

  it('has whole versions only, each once', () => {
    expect(versions.filter((version) => !/^v\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    expect(new Set(versions).size).toBe(versions.length);
  });

  it.each(['v20.1', 'v20.20', '20.20.2', 'v20.20.2-nightly', '', ' ', 'v99.0.0'])(
    'knows no %j',
    (version) => {
      expect(isKnownNode(version)).toBe(false);
    },
  );
});
