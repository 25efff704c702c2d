import { branch, checkout, clone, init, switchBranch, symbolicRef, worktree } from './git-branches';
import { am, bisect, cherryPick, commit, merge, rebase, revert, rewriting, subtree } from './git-commits';
import { apply, clean, move, remove, restore, someFiles, submodule, writingTo } from './git-files';
import type { Planner } from './git-plan';
import { fetch, notes, pull, push, reset, stash, tag, updateRef } from './git-refs';
import { config, remote } from './git-settings';
import { lazily } from './lazily';

/** The subcommands that write something worth telling. */
export const PLANNERS: ReadonlyMap<string, Planner> = new Map<string, Planner>([
  ['commit', commit],
  ['merge', merge],
  ['rebase', rebase],
  ['cherry-pick', cherryPick],
  ['revert', revert],
  ['am', am],
  ['pull', pull],
  ['push', push],
  ['send-pack', push],
  ['fetch', fetch],
  ['checkout', checkout],
  ['switch', switchBranch],
  ['restore', restore],
  ['branch', branch],
  ['reset', reset],
  ['tag', tag],
  ['stash', stash],
  ['update-ref', updateRef],
  ['symbolic-ref', symbolicRef],
  ['worktree', worktree],
  ['init', init],
  ['clone', clone],
  ['notes', notes],
  ['config', config],
  ['remote', remote],
  ['rm', remove],
  ['mv', move],
  ['clean', clean],
  ['apply', apply],
  ['submodule', submodule],
  ['bisect', bisect],
  ['subtree', subtree],
  ['filter-branch', rewriting],
  ['filter-repo', rewriting],
  ['fast-import', rewriting],
  ['quiltimport', rewriting],
  ['replay', rewriting],
  ['citool', rewriting],
  ['gui', rewriting],
  ['svn', rewriting],
  ['p4', rewriting],
  ['format-patch', writingTo('some')],
  ['archive', writingTo('nothing')],
  ['diff', writingTo('nothing')],
  ['log', writingTo('nothing')],
  ['show', writingTo('nothing')],
  ['bundle', someFiles],
  ['checkout-index', someFiles],
  ['read-tree', someFiles],
  ['sparse-checkout', someFiles],
]);

/** Git's own subcommands that write neither branches nor files of the work tree. Any other may be an alias. */
export const harmless = lazily(
  (): ReadonlySet<string> =>
    new Set(
      `add annotate blame bugreport cat-file check-attr check-ignore check-mailmap check-ref-format cherry
  column commit-graph commit-tree count-objects credential credential-cache credential-store describe
  diagnose diff-files diff-index diff-tree difftool fast-export fetch-pack fmt-merge-msg for-each-ref for-each-repo fsck gc
  get-tar-commit-id grep hash-object help hook index-pack instaweb interpret-trailers lfs ls-files ls-remote
  ls-tree mailinfo mailsplit maintenance merge-base merge-file merge-index merge-tree mergetool mktag mktree
  multi-pack-index name-rev pack-objects pack-redundant pack-refs patch-id prune prune-packed range-diff
  reflog repack replace request-pull rerere rev-list rev-parse send-email shortlog show-branch
  show-index show-ref stage status stripspace unpack-file unpack-objects update-index update-server-info var
  verify-commit verify-pack verify-tag version web--browse whatchanged write-tree`.split(/\s+/),
    ),
);
