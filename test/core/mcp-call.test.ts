import { expect, test } from 'vitest';
import { isReadingTool } from '../../src/core/mcp-call';

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
])('%s only reads: %s', (tool, isReading) => {
  expect(isReadingTool(tool)).toBe(isReading);
});
