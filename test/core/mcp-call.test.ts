import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json';
import { isReadingTool, leavesFiles } from '../../src/core/mcp-call';

test.each([
  ['read_file', true],
  ['list_open_issues', true],
  ['get_commit', true],
  ['getFileContents', true],
  ['git_status', true],
  ['file_read', true],
  ['search_and_list', true],
  ['search_and_summarize', true],
  ['write_file', false],
  ['get_or_create_file', false],
  ['search_and_append', false],
  ['getAndPatch', false],
  ['show_diff_and_accept', false],
  ['fetch_to_file', false],
  ['update_view', false],
  ['create_list', false],
  ['search_in_files', true],
  ['list_commits', true],
  ['lint_fix', false],
  ['find_and_modify', false],
  ['view_update', false],
  ['execute_query', false],
  ['check_in', false],
  ['do', false],
  ['search-and-replace', false],
  ['find-and-replace', false],
  ['searchreplace', false],
  ['read-write', false],
  ['get-then-write', false],
  ['fetch-save', false],
  ['find_sub', false],
  ['query_and_alter', false],
  ['list-deleted-files', true],
  ['get_saved_queries', true],
  ['readfile', true],
  ['list-dir', true],
  ['copy_tree', false],
  ['restore_tree', false],
  ['getURLToFile', false],
  ['read_then_modify', false],
  ['list_remove', false],
  ['list_save_points', true],
  ['get_rename_locations', true],
  ['hover', true],
  ['count-matches', true],
  ['get_alternatives', true],
])('%s only reads: %s', (tool, isReading) => {
  expect(isReadingTool(tool, { path: 'a.js', query: '"write":true' })).toBe(isReading);
});

test.each([
  ['read_file', true],
  ['git_add', true],
  ['analyze', true],
  ['analyze_file', true],
  ['analyze_and_improve', false],
  ['codereview', true],
  ['review_changes', true],
  ['review_and_implement', false],
  ['submit_review', false],
  ['open_file_in_editor', true],
  ['open_pull_request', false],
  ['plan', true],
  ['terraform_plan', true],
  ['terraform__plan', true],
  ['apply_plan', false],
  ['implement_plan', false],
  ['accept_plan', false],
])('%s leaves files as they are: %s', (tool, isLeft) => {
  expect(leavesFiles(tool, 'x', { path: 'a.js' })).toBe(isLeft);
  if (isLeft && tool !== 'read_file') expect(isReadingTool(tool, {})).toBe(false);
});

test.each<JsonObject>([
  { fix: true },
  { path: 'a.js', options: { inPlace: true } },
  { action: 'delete', path: 'a.js' },
  { mode: 'fix' },
  { path: 'a.js', output_file: 'b.js' },
])('it does not only read with %j', (input) => {
  for (const tool of ['read_file', 'analyze', 'codereview'])
    expect(isReadingTool(tool, input) || leavesFiles(tool, 'x', input)).toBe(false);
});
