import { describe, expect, it } from 'vitest';
import { weakerBy } from '../../../src/guards/gates/weaker/facts';
import type { FileChange } from '../../../src/guards/gates/weaker/settings';
import { testFile } from '../../../src/guards/gates/weaker/tests';

const CHECKS = [
  { name: 'test', command: 'npm run test' },
  { name: 'lint', command: 'make -s lint' },
  { name: 'own', command: 'node tools/check.mjs --all' },
];
const change = (path: string, before: string | undefined, after: string | undefined): FileChange => ({
  path,
  ...(before !== undefined && { before }),
  ...(after !== undefined && { after }),
});
const facts = (...changes: readonly FileChange[]): readonly string[] => weakerBy(changes, CHECKS).facts;

const JS = `import { test, expect } from 'vitest';
test('adds', () => {
  expect(add(1, 2)).toBe(3);
  expect(add(0, 0)).toBe(0);
});
it('subtracts', () => expect(sub(3, 2)).toBe(1));
`;

const HELPED = `const check = (r) => {
  expect(r.a).toBe(1);
  expect(r.b).toBe(2);
};
${JS}test('y', () => check(g()));
test('x', () => check(f()));
`;

const GO = 'func TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Fatal()\n\t}\n}\n';

describe('what makes tests weaker', () => {
  it.each(['a_tests.go', '_a_test.go', 'testdata/a_test.go'])('a file of Go renamed to %s', (path) => {
    expect(facts(change('a_test.go', GO, undefined), change(path, undefined, GO))).toEqual([
      '1 test deleted in a_test.go',
    ]);
  });

  it.each<[string, string, string | undefined, string | undefined, readonly string[]]>([
    ['a file deleted', 'src/a.test.ts', JS, undefined, ['2 tests deleted in src/a.test.ts']],
    ['a file emptied', 'src/a.test.ts', JS, '', ['2 tests deleted in src/a.test.ts']],
    ['a test deleted', 'a.spec.js', JS, JS.replace(/it\(.*\n/, ''), ['1 test deleted in a.spec.js']],
    ['one in a comment', 'a.spec.js', JS, JS.replace('it(', '// it('), ['1 test deleted in a.spec.js']],
    ['skip', 'a.test.js', JS, JS.replace('test(', 'test.skip('), ['1 test skipped in a.test.js']],
    ['a condition', 'a.test.js', JS, JS.replace('it(', 'if (env.FULL) it('), ['1 test skipped in a.test.js']],
    ['a block', 'a.test.js', JS, `if (env.FULL) {\n${JS.slice(38)}}\n`, ['1 test skipped in a.test.js']],
    ['own', 'a.test.js', JS, `const assert = { equal() {} };\n${JS}`, ['1 test cut short in a.test.js']],
    ['an end', 'a.test.js', JS, `process.exit(0);\n${JS}`, ['1 test cut short in a.test.js']],
    ['never', 'a.test.js', JS, `if (0) {\n${JS}}\n`, ['1 test cut short in a.test.js']],
    ['at once', 'a.test.js', JS, JS.replace('=> {', '=> { return;'), ['1 test cut short in a.test.js']],
    ['blind', 'a.test.js', JS, `${JS}assert.equal = () => {};\n`, ['1 test cut short in a.test.js']],
    [
      'skip under another name',
      'a.test.js',
      JS,
      `const { skip: test } = require('node:test');\n${JS}`,
      ['1 test skipped in a.test.js'],
    ],
    [
      'an assertion of testify',
      'a_test.go',
      GO.replace('t.Fatal()', 'require.Equal(t, 1, f())'),
      GO.replace('t.Fatal()', 'f()'),
      ['1 assertion removed in a_test.go'],
    ],
    [
      'or true',
      'test_a.py',
      'def test_a():\n    assert f()\n',
      'def test_a():\n    assert f() or True\n',
      ['1 assertion removed in test_a.py'],
    ],
    [
      'a mark for all tests',
      'conftest.py',
      undefined,
      '@fixture\ndef all(request):\n    request.node.add_marker(pytest.mark.xfail)\n',
      ['1 test skipped in conftest.py'],
    ],
    [
      'a full name',
      'ATest.java',
      '@Test void a() { assertTrue(f()); }\n',
      '@Test @org.junit.Ignore void a() { assertTrue(f()); }\n',
      ['1 test skipped in ATest.java'],
    ],
    ['todo', 'a.test.js', JS, JS.replace('test(', 'test.todo('), ['1 test skipped in a.test.js']],
    ['xit', 'a.test.js', JS, JS.replace('it(', 'xit('), ['1 test skipped in a.test.js']],
    ['only', 'a.test.js', JS, JS.replace('test(', 'test.only('), ['1 test skipped in a.test.js']],
    [
      'skip as an option',
      'a.test.js',
      JS,
      JS.replace("'adds', ", "'adds', { skip: true }, "),
      ['1 test skipped in a.test.js'],
    ],
    [
      'an end beside a new test',
      'a.test.js',
      JS,
      `process.exit(0);\n${JS}test('new', () => expect(1).toBe(one));\n`,
      ['1 test cut short in a.test.js'],
    ],
    [
      'an end when all is done',
      'a.test.js',
      JS,
      `${JS}after(() => process.exit(0));\n`,
      ['1 test cut short in a.test.js'],
    ],
    [
      'what nobody reaches',
      'a.test.js',
      JS,
      JS.replace('=> {\n', '=> {\n  return\n'),
      ['1 test cut short in a.test.js'],
    ],
    [
      'an expect of its own',
      'a.test.js',
      JS,
      JS.replace(/import.*\n/, 'const expect = () => new Proxy({}, {});\n'),
      ['1 test cut short in a.test.js'],
    ],
    [
      'a return in Python',
      'test_a.py',
      'def test_a():\n    assert f() == 1\n',
      'def test_a():\n    return\n    assert f() == 1\n',
      ['1 test cut short in test_a.py'],
    ],
    [
      'a failure ignored',
      'test_a.py',
      'def test_a():\n    assert f() == 1\n',
      'def test_a():\n    try:\n        assert f() == 1\n    except AssertionError:\n        pass\n',
      ['1 test cut short in test_a.py'],
    ],
    [
      'a return in Go',
      'a_test.go',
      'func TestA(t *testing.T) {\n	if f() != 1 {\n		t.Fatal(1)\n	}\n}\n',
      'func TestA(t *testing.T) {\n	return\n	if f() != 1 {\n		t.Fatal(1)\n	}\n}\n',
      ['1 test cut short in a_test.go'],
    ],
    [
      'a main in Go',
      'a_test.go',
      'func TestA(t *testing.T) {\n	if f() != 1 {\n		t.Fatal(1)\n	}\n}\n',
      'func TestA(t *testing.T) {\n	if f() != 1 {\n		t.Fatal(1)\n	}\n}\nfunc TestMain(m *testing.M) {\n	m.Run()\n	os.Exit(0)\n}\n',
      ['1 test cut short in a_test.go'],
    ],
    ...[
      ['a new main in Go that drops the result', 'm.Run()\n\tos.Exit(0)'],
      ['a new main in Go that runs nothing', 'setUp()'],
    ].map(([what = '', body]): [string, string, undefined, string, string[]] => [
      what,
      'main_test.go',
      undefined,
      `package a\n\nfunc TestMain(m *testing.M) {\n\t${body}\n}\n`,
      ['1 test cut short in main_test.go'],
    ]),
    [
      'fewer assertions in a function that tests call',
      'a.test.js',
      HELPED,
      HELPED.replace(/ {2}expect\(r\.b.*\n/, ''),
      ['2 assertions removed in a.test.js'],
    ],
    [
      'a call of such a function gone',
      'a.test.js',
      HELPED,
      HELPED.replace('check(f())', '{}'),
      ['2 assertions removed in a.test.js'],
    ],
    [
      'an old tag of Go',
      'a_test.go',
      'func TestA(t *testing.T) {\n	if f() != 1 {\n		t.Fatal(1)\n	}\n}\n',
      '// +build never\nfunc TestA(t *testing.T) {\n	if f() != 1 {\n		t.Fatal(1)\n	}\n}\n',
      ['1 test skipped in a_test.go'],
    ],
    [
      'a feature of Rust',
      'src/a.rs',
      '#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        assert_eq!(f(), 1);\n    }\n}\n',
      '#[cfg(feature = "x")]\nmod tests {\n    #[test]\n    fn a() {\n        assert_eq!(f(), 1);\n    }\n}\n',
      ['1 test skipped in src/a.rs'],
    ],
    [
      'a module of Rust',
      'src/a.rs',
      '#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        assert_eq!(f(), 1);\n    }\n}\n',
      '#[cfg(not(test))]\nmod tests {\n    #[test]\n    fn a() {\n        assert_eq!(f(), 1);\n    }\n}\n',
      ['1 test skipped in src/a.rs'],
    ],
    [
      'TestNG',
      'ATest.java',
      'class ATest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n',
      'class ATest {\n  @Test(enabled = false)\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n',
      ['1 test skipped in ATest.java'],
    ],
    [
      'JUnit',
      'ATest.java',
      'class ATest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n',
      'class ATest {\n  @EnabledOnOs(X)\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n',
      ['1 test skipped in ATest.java'],
    ],
    [
      'a private test',
      'ATest.java',
      'class ATest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n',
      'class ATest {\n  @Test\n  private void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n',
      ['1 test skipped in ATest.java'],
    ],
    [
      'a return in Java',
      'ATest.java',
      'class ATest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n',
      'class ATest {\n  @Test\n  void adds() {\n    if (true) return;\n    assertEquals(3, add(1, 2));\n  }\n}\n',
      ['1 test cut short in ATest.java'],
    ],
    [
      'pending',
      'a_spec.rb',
      "describe 'a' do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n",
      "describe 'a' do\n  it 'adds', pending: 'x' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n",
      ['1 test skipped in a_spec.rb'],
    ],
    [
      'focus',
      'a_spec.rb',
      "describe 'a' do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n",
      "describe 'a' do\n  fit 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n",
      ['1 test skipped in a_spec.rb'],
    ],
    [
      'never, in Ruby',
      'a_spec.rb',
      "describe 'a' do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n",
      "if false\ndescribe 'a' do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\nend\n",
      ['1 test cut short in a_spec.rb'],
    ],
    [
      'behind the end',
      'a_spec.rb',
      "describe 'a' do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n",
      "__END__\ndescribe 'a' do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n",
      ['1 test deleted in a_spec.rb'],
    ],
    [
      'next',
      'a_spec.rb',
      "describe 'a' do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n",
      "describe 'a' do\n  it 'adds' do\n    next\n    expect(add(1, 2)).to eq(3)\n  end\nend\n",
      ['1 test cut short in a_spec.rb'],
    ],
    [
      '#if',
      'ATests.cs',
      'public class ATests {\n  [Fact]\n  public void Adds() {\n    Assert.Equal(3, Add(1, 2));\n  }\n}\n',
      '#if NEVER\npublic class ATests {\n  [Fact]\n  public void Adds() {\n    Assert.Equal(3, Add(1, 2));\n  }\n}\n#endif\n',
      ['1 test skipped in ATests.cs'],
    ],
    [
      'a private one',
      'tests/ATest.php',
      '<?php\nclass ATest extends TestCase {\n  public function testAdds() {\n    $this->assertSame(3, add(1, 2));\n  }\n}\n',
      '<?php\nclass ATest extends TestCase {\n  private function testAdds() {\n    $this->assertSame(3, add(1, 2));\n  }\n}\n',
      ['1 test deleted in tests/ATest.php'],
    ],
    [
      'a requirement',
      'tests/ATest.php',
      '<?php\nclass ATest extends TestCase {\n  public function testAdds() {\n    $this->assertSame(3, add(1, 2));\n  }\n}\n',
      "<?php\nclass ATest extends TestCase {\n  #[RequiresPhp('99')]\n  public function testAdds() {\n    $this->assertSame(3, add(1, 2));\n  }\n}\n",
      ['1 test skipped in tests/ATest.php'],
    ],
    [
      'die',
      'tests/ATest.php',
      '<?php\nclass ATest extends TestCase {\n  public function testAdds() {\n    $this->assertSame(3, add(1, 2));\n  }\n}\n',
      '<?php exit(0); ?>\n<?php\nclass ATest extends TestCase {\n  public function testAdds() {\n    $this->assertSame(3, add(1, 2));\n  }\n}\n',
      ['1 test cut short in tests/ATest.php'],
    ],
    [
      'all of them',
      'a.test.js',
      JS,
      `describe.skip('all', () => {\n${JS}});\n`,
      ['1 test skipped in a.test.js'],
    ],
    [
      'an assertion removed',
      'a.test.js',
      JS,
      JS.replace(/ {2}expect\(add\(0.*\n/, ''),
      ['1 assertion removed in a.test.js'],
    ],
    [
      'one that is always true',
      'a.test.js',
      JS,
      JS.replace('expect(add(0, 0)).toBe(0)', 'expect(true).toBe(true)'),
      ['1 assertion removed in a.test.js'],
    ],
    [
      'pytest',
      'tests/test_a.py',
      'def test_a():\n    assert f() == 1\n',
      '@pytest.mark.skip\ndef test_a():\n    assert f() == 1\n',
      ['1 test skipped in tests/test_a.py'],
    ],
    [
      'an assert of Python',
      'tests/test_a.py',
      'def test_a():\n    assert f() == 1\n',
      'def test_a():\n    f()\n',
      ['1 assertion removed in tests/test_a.py'],
    ],
    [
      'unittest',
      'test_a.py',
      'def test_a(self):\n  pass\n',
      'def test_a(self):\n  self.skipTest("x")\n',
      ['1 test skipped in test_a.py'],
    ],
    [
      'what pytest collects',
      'conftest.py',
      'import pytest\n',
      'collect_ignore = ["a"]\n',
      ['1 test skipped in conftest.py'],
    ],
    [
      'Go',
      'a_test.go',
      'func TestA(t *testing.T) {\n}\n',
      'func TestA(t *testing.T) {\n\tt.Skip()\n}\n',
      ['1 test skipped in a_test.go'],
    ],
    [
      'Go, left out',
      'a_test.go',
      'func TestA(t *testing.T) {\n}\n',
      '//go:build ignore\nfunc TestA(t *testing.T) {\n}\n',
      ['1 test skipped in a_test.go'],
    ],
    [
      'a list that makes no tests',
      'a.test.js',
      "test('a', () => expect(f(1)).toBe(1));\ntest('b', () => expect(f(2)).toBe(2));\n",
      "for (const x of [1, 2, 3]) {}\ntest('a', () => expect(f(1)).toBe(1));\n",
      ['1 test deleted in a.test.js'],
    ],
    [
      'Python in a text',
      'test_a.py',
      'def test_a():\n    assert f() == 1\n',
      '"""\ndef test_a():\n    assert f() == 1\n"""\n',
      ['1 test deleted in test_a.py'],
    ],
    [
      'Go, deleted',
      'a_test.go',
      'func TestA(t *testing.T) {\n}\n',
      'package a\n',
      ['1 test deleted in a_test.go'],
    ],
    [
      'Rust',
      'src/a.rs',
      '#[test]\nfn a() {}\n',
      '#[test]\n#[ignore]\nfn a() {}\n',
      ['1 test skipped in src/a.rs'],
    ],
    [
      'Java',
      'src/ATest.java',
      '@Test\nvoid a() {}\n',
      '@Test @Disabled\nvoid a() {}\n',
      ['1 test skipped in src/ATest.java'],
    ],
    ['Ruby', 'spec/a_spec.rb', "it 'a' do\nend\n", "xit 'a' do\nend\n", ['1 test skipped in spec/a_spec.rb']],
  ])('%s', (_sentence, path, before, after, expected) => {
    expect(facts(change(path, before, after))).toEqual(expected);
  });

  it('a test that went to a file where no runner looks is deleted', () => {
    const moved = [change('test/a.test.js', JS, undefined), change('test/old/a.js', undefined, JS)];
    expect(facts(...moved)).toEqual(['2 tests deleted in test/a.test.js']);
  });

  it.each([
    ['skipped', JS.replace('test(', 'test.skip(')],
    ['checks less', JS.replace(/ {2}expect\(add\(0.*\n/, '')],
  ])('one that was renamed with its file and %s is deleted', (_, after) => {
    const renamed = change('b.test.js', undefined, after.replaceAll('add', 'sum'));
    expect(facts(change('a.test.js', JS, undefined), renamed)).toEqual(['1 test deleted in a.test.js']);
  });

  it('a test that was moved and skipped is skipped', () => {
    const moved = change('test/b.test.js', undefined, JS.replace('test(', 'test.skip('));
    expect(facts(change('test/a.test.js', JS, undefined), moved)).toEqual([
      '1 test skipped in test/b.test.js',
    ]);
  });
});

describe('new tests hide nothing', () => {
  const NEW = "test('new', () => {\n  expect(f()).toBe(1);\n  expect(g()).toBe(2);\n});\n";
  const zero = / {2}expect\(add\(0.*\n/;
  it.each<[string, string, readonly string[]]>([
    ['a removed assertion', JS.replace(zero, ''), ['1 assertion removed in a.test.js']],
    ['one that is cut', JS.replace('=> {\n', '=> {\n  return\n'), ['1 test cut short in a.test.js']],
    ['a loosened one', JS.replace('toBe(3)', 'toBeDefined()'), ['1 assertion loosened in a.test.js']],
    ['a changed one', JS.replace('toBe(3)', 'toBe(4)'), []],
    ['one that moved', `${JS.replace(zero, '')}test('z', () => {\n  expect(add(0, 0)).toBe(0);\n});\n`, []],
    ['a renamed test', JS.replace("'adds'", "'sums'").replace('toBe(3)', 'toEqual(3)'), []],
  ])('%s', (_sentence, after, expected) => {
    expect(facts(change('a.test.js', JS, after + NEW))).toEqual(expected);
    expect(facts(change('a.test.js', JS, after), change('b.test.js', undefined, NEW))).toEqual(expected);
  });

  it('a test that exits or ignores its failures may be new', () => {
    const own = "test('own', () => {\n  try {\n    expect(f()).toBe(1);\n  } catch {}\n});\n";
    expect(facts(change('a.test.js', JS, JS + own))).toEqual([]);
  });
});

describe('assertions that hold for almost any value', () => {
  const wrap: Readonly<Record<string, (line: string) => string>> = {
    'a.test.ts': (line) => `test('a', () => {\n  ${line};\n});\n`,
    'test_a.py': (line) => `def test_a():\n    ${line}\n`,
    'ATest.java': (line) => `@Test\nvoid a() {\n  ${line};\n}\n`,
    'a_spec.rb': (line) => `it 'a' do\n  ${line}\nend\n`,
    'a_test.go': (line) => `func TestA(t *testing.T) {\n\t${line}\n}\n`,
    'ATests.swift': (line) => `@Test func a() {\n    ${line}\n}\n`,
  };
  it.each<[path: string, before: string, after: string, how: 'loosened' | 'removed' | undefined]>([
    ['a.test.ts', 'expect(f()).toEqual([1])', 'expect(f()).toBeDefined()', 'loosened'],
    ['a.test.ts', 'expect(f()).toEqual([1])', 'expect(f()).not.toBeNull()', 'loosened'],
    ['a.test.ts', 'expect(f()).toBe(1)', 'expect(f()).toEqual(expect.any(Number))', 'loosened'],
    ['a.test.ts', 'expect(x).toBe(1)', 'expect(x).toBe(x)', 'removed'],
    [
      'a.test.ts',
      'expect(f()).toEqual({ a: 1 })',
      'expect(f()).toEqual({ a: expect.any(Number) })',
      undefined,
    ],
    ['a.test.ts', 'expect(f()).toBeDefined()', 'expect(f()).toBe(1)', undefined],
    ['a.test.ts', 'expect(f()).toBeDefined()', 'f()', 'removed'],
    ['test_a.py', 'assert f() == 1', 'assert f() is not None', 'loosened'],
    ['test_a.py', 'self.assertIn(1, f())', 'assert 1 in f()', undefined],
    ['test_a.py', 'assert f() == 1', 'assert 1 == 1', 'removed'],
    ['ATest.java', 'assertEquals(1, f())', 'assertNotNull(f())', 'loosened'],
    ['ATest.java', 'assertThat(f()).isEqualTo(1)', 'assertThat(f()).isNotNull()', 'loosened'],
    ['a_spec.rb', 'expect(f).to eq(1)', 'expect(f).not_to be_nil', 'loosened'],
    ['a_spec.rb', 'expect(f).to eq(1)', 'is_expected.to eq(1)', undefined],
    ['a_spec.rb', 'expect { f }.to raise_error(A)', 'f', 'removed'],
    ['a_test.go', 'assert.Equal(t, 1, f())', 'assert.NotNil(t, f())', 'loosened'],
    ['ATests.swift', '#expect(f() == 1)', 'f()', 'removed'],
  ])('%s: %s and %s', (path, before, after, how) => {
    const [was, is] = [before, after].map((line) => wrap[path]?.(line));
    expect(facts(change(path, was, is))).toEqual(how ? [`1 assertion ${how} in ${path}`] : []);
  });
});

it.each<[path: string, before: string, after: string, readonly string[]]>([
  ['a.test.js', 'test.each([[f(1), 1]])("a", (a, b) => expect(a).toBe(b));\n', '', ['1 test deleted']],
  ['a.test.js', JS, JS.replace('=> {', '=> {\n  pending();'), ['1 test skipped']],
  ['ATests.swift', '@Test func a() {}\n', 'func a() {}\n', ['1 test deleted']],
  ['ATests.swift', 'func testA() {}\n', '@Test func a() {}\n', []],
  [
    'tests/ATest.php',
    '<?php\n#[Test]\npublic function a() {}\n',
    '<?php\npublic function a() {}\n',
    ['1 test deleted'],
  ],
  [
    'tests/ATest.php',
    '<?php\n/** @test */\npublic function a() {}\n',
    '<?php\npublic function a() {}\n',
    ['1 test deleted'],
  ],
  ['tests/ATest.php', '<?php\npublic function testA() {}\n', '<?php\n#[Test]\npublic function a() {}\n', []],
  ['a_test.go', GO, GO.replace('TestA', 'Testa'), ['1 test deleted']],
  ['a.test.js', JS, JS.replace('add(1, 2)', 'run(\n    skip(1),\n    take(2),\n  )'), []],
  ['a_spec.rb', "it 'a' do\n  expect(f).to eq(1)\nend\n", 'it { expect(f).to eq(1) }\n', []],
])('tests by other marks: %s: %j and %j', (path, before, after, expected) => {
  expect(facts(change(path, before, after))).toEqual(expected.map((fact) => `${fact} in ${path}`));
});

describe('rows of tables', () => {
  const each = (rows: string, more = ''): string =>
    `it.each(${rows})('adds %i', (n) => {\n  expect(f(n)).toEqual([n, 1]);\n});\n${more}`;
  const loop = (rows: string): string =>
    `for (const n of ${rows}) {\n  test(\`a \${n}\`, () => assert.equal(f(n), 1));\n}\n`;
  const named = (rows: string): string =>
    `const cases: number[][] = ${rows};\ntest.each(cases)('a', (n) => expect(f(n)).toBe(1));\n`;
  const python = (rows: string): string =>
    `@pytest.mark.parametrize("a, b", ${rows})\ndef test_a(a, b):\n    assert f(a) == b\n`;
  const go = (rows: string): string =>
    `func TestA(t *testing.T) {\n\ttests := []struct {\n\t\tin  int\n\t\tout int\n\t}{\n${rows}\t}\n\tfor _, tt := range tests {\n\t\tif f(tt.in) != tt.out {\n\t\t\tt.Error(tt)\n\t\t}\n\t}\n}\n`;
  const lines = (rows: string): string =>
    `test.each\`a | b\n${rows}\`('a', ({ a, b }) => expect(f(a)).toBe(b));\n`;
  const csharp = (rows: string): string =>
    `[Theory]\n${rows}public void Adds(int a) {\n  Assert.Equal(1, F(a));\n}\n`;

  it.each<[string, string, string, string, readonly string[]]>([
    ['each', 'a.test.js', each('[1, 2, 3]'), each('[1]'), ['2 tests deleted in a.test.js']],
    ['a loop', 'a.test.js', loop('[1, 2, 3]'), loop('[1]'), ['2 tests deleted in a.test.js']],
    ['a name', 'a.test.js', named('[[1], [2]]'), named('[[1]]'), ['1 test deleted in a.test.js']],
    [
      'lines',
      'a.test.js',
      lines(`\${1} | \${1}\n\${2} | \${2}\n`),
      lines(`\${1} | \${1}\n`),
      ['1 test deleted in a.test.js'],
    ],
    ['Python', 'test_a.py', python('[(1, 2), (3, 4)]'), python('[(1, 2)]'), ['1 test deleted in test_a.py']],
    [
      'Python, skipped',
      'test_a.py',
      python('[(1, 2), (3, 4)]'),
      python('[(1, 2), pytest.param(3, 4, marks=pytest.mark.xfail)]'),
      ['1 test skipped in test_a.py'],
    ],
    [
      'Go',
      'a_test.go',
      go('\t\t{1, 2},\n\t\t{3, 4},\n'),
      go('\t\t{1, 2},\n'),
      ['1 test deleted in a_test.go'],
    ],
    [
      'C#',
      'ATests.cs',
      csharp('[InlineData(1)]\n[InlineData(2)]\n'),
      csharp('[InlineData(1)]\n'),
      ['1 test deleted in ATests.cs'],
    ],
    ['a table deleted', 'a.test.js', JS + each('[1, 2, 3]'), JS, ['3 tests deleted in a.test.js']],
    ['other values', 'a.test.js', each('[1, 2, 3]'), each('[1, 2, 4]'), []],
    ['more', 'a.test.js', each('[1, 2]'), each('[1, 2, 3]'), []],
    ['another format', 'a.test.js', each('[1, 2, 3]'), each('[\n  1, // one, or so\n  2,\n  3,\n]'), []],
    ['no comment', 'a.test.js', each('[\n  1, // one, or so\n  2,\n]'), each('[1, 2]'), []],
    ['quotes', 'a.test.js', each(String.raw`['a', 'it\'s [', 'c']`), each('["a", "it\'s [", "c"]'), []],
    ['a name for the list', 'a.test.js', each('[[1], [2]]'), named('[[1], [2]]'), []],
    ['a list in another file', 'a.test.js', each('[[1], [2]]'), each('cases'), []],
    [
      'tests of their own',
      'a.test.js',
      each('[1, 2]'),
      each('[1]', "it('adds two', () => expect(f(2)).toEqual([2, 1]));\n"),
      [],
    ],
    ['a list inside a test', 'a.test.js', each('[1]').replace('[n, 1]', '[n, 1, 2]'), each('[1]'), []],
    [
      'a list in a helper',
      'a.test.js',
      `for (const x of [1, 2]) make(x);\n${JS}`,
      `for (const x of [1]) make(x);\n${JS}`,
      [],
    ],
    [
      'a new row that fails',
      'test_a.py',
      python('[(1, 2)]'),
      python('[(1, 2), pytest.param(3, 4, marks=pytest.mark.xfail)]'),
      [],
    ],
    [
      'no table',
      'a_test.go',
      go('\t\t{1, 2},\n').replace('1, 2', 'in: 1, out: []int{2, 3}'),
      go('\t\t{1, 2},\n'),
      [],
    ],
  ])('%s', (_sentence, path, before, after, expected) => {
    expect(facts(change(path, before, after))).toEqual(expected);
  });

  it('a table may be moved', () => {
    const table = each('[1, 2, 3]');
    const moved = [change('a.test.js', JS + table, JS), change('b.test.js', undefined, table)];
    expect(facts(...moved)).toEqual([]);
  });
});

describe('tests that end or fail under a condition', () => {
  const js = (line: string): string =>
    `const n = 3;\ntest('a', async () => {\n  const r = f();\n  ${line}\n});\n`;
  const py = (lines: string, before = ''): string => `${before}def test_a():\n    r = f()\n${lines}\n`;
  const go = (condition: string): string =>
    `func TestA(t *testing.T) {\n\tif ${condition} {\n\t\tt.Fatal(1)\n\t}\n}\n`;
  const [equal, rejects] = ['assert.equal(r.total, 3);', 'assert.rejects(r, /x/);'];
  const check = '    assert r.total == 3';

  it.each<[path: string, before: string, after: string]>([
    ['test_a.py', py(check), py(`    if not os.environ.get("FULL"):\n        return\n${check}`)],
    ['test_a.py', py(check), py(`    with contextlib.suppress(AssertionError):\n    ${check}`)],
    ['test_a.py', py(check), py(`    with suppress(Exception):\n    ${check}`)],
    ['test_a.py', py(check), py(`    if r.total == 3:\n    ${check}`)],
    ['test_a.py', py(`    if r:\n    ${check}`), py(`    if r and False:\n    ${check}`)],
    ['a.test.js', js(equal), js(`try { ${equal} } catch {}`)],
    ['a.test.js', js(equal), js(`try {\n    ${equal}\n  } catch (error) {\n    // Later.\n  }`)],
    ['a.test.js', js(equal), js(`try {\n    ${equal}\n  } catch (error) {\n    console.log(error);\n  }`)],
    ['test_a.py', py(check), py(`    try:\n    ${check}\n    except Exception as e:\n        print(e)`)],
    [
      'ATest.java',
      'void a() {\n  assertTrue(f());\n}\n',
      'void a() {\n  try {\n    assertTrue(f());\n  } catch (Error e) {\n    e.printStackTrace();\n  }\n}\n',
    ],
    ['a_test.go', go('f() != 3'), go('false')],
    ['a.test.js', js(equal), js(`if (process.env.CI) return;\n  ${equal}`)],
    ['a.test.js', js(equal), js(`if (!process.env['FULL']) {\n    return;\n  }\n  ${equal}`)],
    ['a.test.js', js(equal), js(`if (r.total === 3) ${equal}`)],
    ['a.test.js', js('expect(r).toBe(3);'), js('if (r === 3) {\n    expect(r).toBe(3);\n  }')],
    ['a.test.js', js(`await ${rejects}`), js(rejects)],
    ['a.test.js', js('await expect(r).rejects.toThrow();'), js('expect(r).rejects.toThrow();')],
    ['a_test.go', go('f() != 3'), go('f() != 3 && false')],
    ['a_test.go', go('f() != 3'), go('false && f() != 3')],
    [
      'a_test.go',
      go('f() != 3'),
      go('f() != 3').replace('\n', '\n\tif os.Getenv("FULL") == "" {\n\t\treturn\n\t}\n'),
    ],
  ])('%s: %j and %j', (path, before, after) => {
    expect(facts(change(path, before, after))).toEqual([`1 test cut short in ${path}`]);
  });

  it.each<[path: string, before: string, after: string]>([
    ['a.test.js', js(equal), js(`if (!r.ok) throw r.error;\n  ${equal}`)],
    ['a.test.js', js(equal), js(`${equal}\n  try {\n    clean();\n  } catch {}`)],
    ['a.test.js', js(equal), js(`try {\n    ${equal}\n  } finally {\n    clean();\n  }`)],
    [
      'a.test.js',
      js(equal),
      js(`try {\n    ${equal}\n  } catch (error) {\n    console.log(r);\n    throw error;\n  }`),
    ],
    [
      'test_a.py',
      py(check),
      py(`    try:\n    ${check}\n    except Exception as e:\n        print(e)\n        raise`),
    ],
    [
      'test_a.py',
      py(check),
      py(`${check}\n    try:\n        os.remove("x")\n    except FileNotFoundError:\n        pass`),
    ],
    ['a.test.js', js(equal), js(`if (r.kind === 'sum') ${equal}`)],
    [
      'a.test.js',
      js(equal),
      js(`run((one) => {\n    if (one.isLast) return;\n    more(one);\n  });\n  ${equal}`),
    ],
    ['a.test.js', js(equal), `function bin() {\n  if (process.env.BIN) return;\n  make();\n}\n${js(equal)}`],
    [
      'a.test.js',
      js(equal),
      `${js(equal)}afterAll(() => {\n  if (process.env.KEEP) return;\n  clean();\n});\n`,
    ],
    ['a.test.js', js(equal), js(`const bin = process.env.BIN ?? 'x';\n  if (bin) use(bin);\n  ${equal}`)],
    ['a.test.js', js(equal), js(`await Promise.all([\n    ${rejects.slice(0, -1)},\n  ]);\n  ${equal}`)],
    ['a.test.js', js(`await ${rejects}`), js(`return ${rejects}`)],
    [
      'a.test.js',
      `test('a', () => ${rejects.slice(0, -1)});\n`,
      `test('a', () =>\n  ${rejects.slice(0, -1)});\n`,
    ],
    [
      'test_a.py',
      py(check),
      py(`    with contextlib.suppress(FileNotFoundError):\n        os.remove("x")\n${check}`),
    ],
    ['test_a.py', py(check), py(`    if r is not None:\n        assert r in list\n${check}`)],
    ['test_a.py', py(check), py(`    with suppress(Exception):\n        server.stop()\n${check}`)],
    [
      'test_a.py',
      py(check),
      py(check, '@fixture\ndef db():\n    if os.environ.get("DB"):\n        return\n    make()\n\n'),
    ],
    ['a_test.go', go('f() != 3'), go('ok && f() != 3')],
    [
      'a_test.go',
      go('f() != 3'),
      `func help() {\n\tif os.Getenv("V") == "" {\n\t\treturn\n\t}\n\tlog()\n}\n${go('f() != 3')}`,
    ],
  ])('not %s: %j and %j', (path, before, after) => {
    expect(facts(change(path, before, after))).toEqual([]);
  });
});

describe('tests that no runner collects', () => {
  const py = (header: string, body = 'assert f() == 1', more = ''): string =>
    `class ${header}:\n    def test_a(self):\n        ${body}\n\n    def test_b(self):\n        ${body}\n${more}`;
  const unit = 'self.assertEqual(f(), 1)';
  const rust = (lines: string, more = ''): string =>
    `#[cfg(test)]\nmod tests {\n    ${lines}\n    fn a() {\n        assert_eq!(f(), 1);\n    }\n${more}}\n`;
  const two = ['2 tests skipped in test_a.py'];
  const one = ['1 test skipped in src/a.rs'];

  it.each<[path: string, before: string, after: string, readonly string[]]>([
    ['test_a.py', py('TestMore'), py('MoreTests'), two],
    ['test_a.py', py('A(unittest.TestCase)', unit), py('A', unit), two],
    ['test_a.py', py('TestA(unittest.TestCase)', unit), py('TestA(object)', unit), two],
    ['src/a.rs', rust('#[test]'), rust('#[cfg(feature = "slow")]\n    #[test]'), one],
    ['src/a.rs', rust('#[test]'), rust('#[cfg(never)]\n    #[should_x]\n    #[test]'), one],
    ['src/a.rs', rust('#[test]'), rust('#[test]\n    #[cfg(never)]'), one],
    ['tests/a.rs', rust('#[test]'), `#![cfg(never)]\n${rust('#[test]')}`, ['1 test skipped in tests/a.rs']],
    ['tests/a.rs', rust('#[test]'), `#![cfg(test)]\n${rust('#[test]')}`, []],
    ['test_a.py', py('TestMore'), py('TestOther'), []],
    ['test_a.py', py('TestMore'), py('MoreTests', undefined, '\nclass TestMore(MoreTests):\n    pass\n'), []],
    ['test_a.py', py('A(unittest.TestCase)', unit), py('A(Case)', unit), []],
    ['test_a.py', py('TestA(unittest.TestCase)', unit), py('TestA'), []],
    ['test_a.py', py('TestA'), `class Helper:\n    def run(self):\n        pass\n\n${py('TestA')}`, []],
    [
      'test_a.py',
      py('TestA'),
      `class Helper:\n    x = 1\n\n@mark\ndef test_c():\n    assert f()\n\n${py('TestA')}`,
      [],
    ],
    ['test_a.py', py('Cases'), py('Cases', 'assert f() == 2'), []],
    [
      'src/a.rs',
      rust('#[test]'),
      rust('#[test]', '    #[cfg(unix)]\n    #[test]\n    fn b() {\n        assert!(g());\n    }\n'),
      [],
    ],
    ['src/a.rs', rust('#[test]'), rust('#[cfg(unix)]\n    fn help() {}\n\n    #[test]'), []],
  ])('%s: %j and %j', (path, before, after, expected) => {
    expect(facts(change(path, before, after))).toEqual(expected);
  });

  it.each<[command: string, to: string, readonly string[]]>([
    ['node --test test/', 'old/a.test.js', ['2 tests deleted in test/a.test.js']],
    ['npx jest "./test/**/*.js"', 'old/a.test.js', ['2 tests deleted in test/a.test.js']],
    ['node --test test/', 'test/unit/a.test.js', []],
    ['npx vitest run', 'old/a.test.js', []],
    ['npx jest test old', 'old/a.test.js', []],
    ['eslint src test', 'old/a.test.js', []],
  ])('%s after a move to %s', (command, to, expected) => {
    const changes = [change('test/a.test.js', JS, undefined), change(to, undefined, JS)];
    expect(weakerBy(changes, [{ name: 'test', command }]).facts).toEqual(expected);
    const script = { name: 'test', command: '', script: command };
    expect(weakerBy(changes, [{ name: 'npm', command: 'npm test' }, script]).facts).toEqual(expected);
    const all = { name: 'all', command: 'npx vitest' };
    expect(weakerBy(changes, [script, all]).facts).toEqual([]);
  });
});

describe('ordinary work is no alarm', () => {
  it.each<[string, readonly FileChange[]]>([
    ['a test added', [change('a.test.js', JS, `${JS}test('more', () => expect(1 + x).toBe(2));\n`)]],
    ['a new file', [change('b.test.js', undefined, JS)]],
    ['a new one with a todo', [change('b.test.js', undefined, `${JS}test.todo('later');\n`)]],
    ['a test renamed', [change('a.test.js', JS, JS.replace("'adds'", "'adds numbers'"))]],
    ['a test changed', [change('a.test.js', JS, JS.replace('toBe(3)', 'toEqual(3)'))]],
    ['a file renamed', [change('a.test.js', JS, undefined), change('b.test.js', undefined, JS)]],
    ['a file of Go renamed', [change('a_test.go', GO, undefined), change('b/c_test.go', undefined, GO)]],
    [
      'another way to assert',
      [change('a_test.go', GO, GO.replace(/if .*\{\n.*\n.*\}/, 'require.Equal(t, 1, f())'))],
    ],
    [
      'a file and its tests renamed',
      [change('a.test.js', JS, undefined), change('b.test.js', undefined, JS.replaceAll('add', 'sum'))],
    ],
    ['a skip taken away', [change('a.test.js', JS.replace('test(', 'test.skip('), JS)]],
    [
      'assertions moved to another file',
      [
        change('a.test.js', JS, JS.replace(/ {2}expect\(add\(0.*\n/, '')),
        change('b.test.js', '', "test('zero', () => {\n  expect(add(0, 0)).toBe(0);\n});\n"),
      ],
    ],
    ...[
      'code := m.Run()\n\tdown()\n\tos.Exit(code)',
      'if fake() {\n\t\tos.Exit(0)\n\t}\n\tos.Exit(m.Run())',
      'leaks.Main(m)',
    ].map((body): [string, FileChange[]] => [
      `a new main in Go: ${body}`,
      [change('m_test.go', undefined, `package a\n\nfunc TestMain(m *testing.M) {\n\t${body}\n}\n`)],
    ]),
    [
      'assertions moved into a function that tests call',
      [
        change('test/a.test.js', JS, JS.replace(/ {2}expect[\s\S]*\}\);/, '  zero(add);\n  zero(sub);\n});')),
        change('test/zero.js', undefined, 'export function zero(f) {\n  expect(f(0, 0)).toBe(0);\n}\n'),
      ],
    ],
    [
      'a function that tests call written out in them',
      [
        change(
          'a.test.js',
          HELPED,
          HELPED.replace(/const check[\s\S]*?\};\n/, '').replace(
            /check\((\w\(\))\)/g,
            '{\n  expect($1.a).toBe(1);\n  expect($1.b).toBe(2);\n}',
          ),
        ),
      ],
    ],
    [
      'another framework',
      [
        change(
          'test_a.py',
          'def test_a(self):\n    with self.assertRaises(ValueError):\n        f()\n',
          'def test_a():\n    with pytest.raises(ValueError):\n        f()\n',
        ),
      ],
    ],
    [
      'settings moved to another file',
      [
        change(
          'pytest.ini',
          '[pytest]\ntestpaths = tests\naddopts = -ra\nmarkers =\n    slow: later\n',
          undefined,
        ),
        change(
          'pyproject.toml',
          '[project]\nname = "a"\n',
          '[project]\nname = "a"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\naddopts = "-ra"\nmarkers = ["slow: later"]\n',
        ),
      ],
    ],
    ['code', [change('src/a.js', 'const assert = 1;\n', '')]],
    [
      'a dependency',
      [
        change(
          'package.json',
          '{"scripts":{"test":"vitest"}}',
          '{"scripts":{"test":"vitest"},"dependencies":{"a":"1"}}',
        ),
      ],
    ],
    [
      'a script that no check runs',
      [change('package.json', '{"scripts":{"dev":"vite"}}', '{"scripts":{"dev":"vite --host"}}')],
    ],
    [
      'a new script',
      [change('package.json', '{"scripts":{}}', '{"scripts":{"clean":"rm -rf dist || true"}}')],
    ],
    [
      'a path alias',
      [
        change(
          'tsconfig.json',
          '{"compilerOptions":{"strict":true}}',
          '{"compilerOptions":{"strict":true,"paths":{}}}',
        ),
      ],
    ],
    [
      'a new package with types',
      [change('packages/a/tsconfig.json', undefined, '{"compilerOptions":{"strict":true}}')],
    ],
    [
      'a new package of Python',
      [change('a/pyproject.toml', undefined, '[tool.pytest.ini_options]\naddopts="-q"\n')],
    ],
    [
      'a dependency of Python',
      [
        change(
          'pyproject.toml',
          '[project]\nname="a"\n[tool.pytest]\nx=1\n',
          '[project]\nname="b"\n[tool.pytest]\nx=1\n',
        ),
      ],
    ],
    [
      'another target',
      [change('Makefile', 'lint:\n\teslint .\nrun:\n\ta\n', 'lint:\n\teslint .\nrun:\n\tb\n')],
    ],
    ['a linter set up', [change('eslint.config.js', undefined, 'export default [];\n')]],
    [
      'a runner set up',
      [change('vitest.config.ts', undefined, 'export default { test: { globals: true } };\n')],
    ],
    [
      'requirements in the config',
      [
        change(
          '.holdpoint/config.yaml',
          'gates:\n  checks: {}\nrequirements: {}\n',
          'gates:\n  checks: {}\nrequirements: {a: {}}\n',
        ),
      ],
    ],
    [
      'several tests made one with a table',
      [
        change(
          'a.test.js',
          "test('a', () => expect(f(1)).toBe(1));\ntest('b', () => expect(f(2)).toBe(2));\n",
          "test.each([[1, 1], [2, 2]])('%i', (a, b) => expect(f(a)).toBe(b));\n",
        ),
      ],
    ],
    [
      'a new test that is skipped on some machines',
      [
        change(
          'test_a.py',
          'def test_a():\n    assert f()\n',
          'def test_a():\n    assert f()\n\n@pytest.mark.skipif(x)\ndef test_b():\n    assert f()\n',
        ),
      ],
    ],
    ['data', [change('a.test.js', JS, `${JS}const list = [{ todo: 'Buy milk' }, { skip: 1, take: 2 }];\n`)]],
    [
      'a skipped test moved',
      [
        change('a.test.js', JS.replace('test(', 'test.skip('), undefined),
        change('b.test.js', undefined, JS.replace('test(', 'test.skip(')),
      ],
    ],
    [
      'a text of several lines in Python',
      [
        change(
          'test_a.py',
          'def test_a():\n    assert f()\n\n\ndef test_b():\n    g("""x""")\n',
          'X = """\nx\n"""\n\n\ndef test_a():\n    assert f()\n\n\ndef test_b():\n    g(\n        """x""")\n',
        ),
      ],
    ],
    ['a helper moved', [change('test/help.js', 'export {};\n', undefined)]],
    ['a module of Rust', [change('src/p.rs', 'fn f() { x.expect("y"); assert!(z); }\n', undefined)]],
    [
      'a stricter shell of make',
      [
        change(
          'Makefile',
          'lint:\n\tx\n',
          'SHELL := /bin/bash\n.SHELLFLAGS := -eu -o pipefail -c\nlint:\n\tx\n',
        ),
      ],
    ],
    ['another variable of make', [change('Makefile', 'A = 1\nlint:\n\tx\n', 'A = 2\nlint:\n\tx\n')]],
    ['a comment in settings', [change('eslint.config.js', 'x = [1]\n', '// All rules.\nx = [1]\n')]],
    ['a style', [change('.prettierrc', undefined, '{"singleQuote": true}\n')]],
    [
      'a newer action',
      [
        change(
          '.github/workflows/ci.yml',
          '- uses: a/b@v1\n- run: npm test\n',
          '- uses: a/b@v2\n- run: npm test\n',
        ),
      ],
    ],
    [
      'a dependency of Maven',
      [change('pom.xml', '<p/>', '<p><exclusion><artifactId>a</artifactId></exclusion></p>')],
    ],
    ['a dependency of Rust', [change('Cargo.toml', '[dependencies]\n', '[dependencies]\na = "1"\n')]],
    [
      'a new test of a program that exits',
      [change('a.test.js', JS, `${JS}test('x', () => run(\`\nprocess.exit(0)\n\`));\n`)],
    ],
    ['an early return', [change('a_test.go', '', 'func f() {\n\tif x {\n\t\treturn\n\t}\n\ty()\n}\n')]],
    ['a new check', [change('.gauntlet/checks/new.yml', undefined, 'command: npm run new\n')]],
  ])('%s', (_sentence, changes) => {
    expect(facts(...changes)).toEqual([]);
  });

  it('assertions that say something else are named apart', () => {
    const { changed } = weakerBy([change('a.test.js', JS, JS.replace('toBe(3)', 'toBe(-1)'))], []);
    expect(changed).toEqual(['1 assertion changed in a.test.js']);
  });

  it.each([
    ["expect(f('a')).toEqual(['b', 'c']);", 'expect( f("a") ).toEqual(["b", "c",])', []],
    ["expect(f('a')).toBe('b c')", "expect(f('a')).toBe('bc')", ['1 assertion changed in a.test.js']],
    ["expect(f('a')).toBe('b,')", "expect(f('a')).toBe('b')", ['1 assertion changed in a.test.js']],
  ])('%s and %s', (before, after, expected) => {
    const test = (line: string): string => `test('a', () => {\n  ${line}\n});\n`;
    expect(weakerBy([change('a.test.js', test(before), test(after))], []).changed).toEqual(expected);
  });
});

it('knows test files by name and place', () => {
  const named = [
    'a.test.ts',
    'a_test.go',
    'test_a.py',
    'src/ATest.java',
    'a.spec.rb',
    'b/a.bats',
    'tests.py',
  ];
  expect(named.map(testFile)).toEqual(named.map(() => 'named'));
  expect(['test/a.js', 'src/__tests__/a.ts', 'src/lib.rs'].map(testFile)).toEqual([
    'placed',
    'placed',
    'placed',
  ]);
  expect(
    [
      'src/a.js',
      'test/data.json',
      'README.md',
      'src/latest.ts',
      'contest/a.js',
      'node_modules/a/a.test.js',
    ].map(testFile),
  ).toEqual(Array(6).fill(undefined));
});

it('reads test files of any content in a short time', () => {
  const contents: readonly (readonly [path: string, part: string])[] = [
    ...['for(', '/*\n', 'it.', '.each[', '.each"', 'expect.', 'expect(', "it.skip('a');\n"].map(
      (part) => ['a.test.ts', part] as const,
    ),
    ...['  return\n', ' return\n\n', 'process.exit', 'expect =', '`', 'except:'].map(
      (part) => ['a.test.js', part] as const,
    ),
    ...['if process.env ', 'if a == ', 'if (a) &&', 'suppress(', '({expect(', 'assert.rejects('].map(
      (part) => ['a.test.js', part] as const,
    ),
    ...['for x of [', 'x = [', 'x=[]struct{', 'parametrize("a",', '@ValueSource(', 'for x in a test(\n'].map(
      (part) => ['a.test.js', part] as const,
    ),
    ...['test_a.py', 'a_spec.rb', 'a.bats'].map((path) => [path, '\n'] as const),
    ['test_a.py', 'class A(\n'],
    ...['#[test', '#[test]', '#[cfg(', '#[cfg(a)]', '#[cfg_attr(,'].map(
      (part) => ['tests/a.rs', part] as const,
    ),
    ['src/a.rs', '#[cfg('],
    ['ATests.cs', '[Fact'],
    ['a_test.go', 'func (\n'],
    ['a_test.go', 'func TestMain(m x {\nm.Run()\n'],
    ['a.test.js', 'const x\n  expect(\n'],
    ['a.test.js', `try{${'assert '.repeat(30)}}catch{${'// '.repeat(70)}\n`],
    ['a.test.js', `assert(not${'.'.repeat(10_000)})\n`],
    ...['try {assert', 'try {expect} catch {', '] ) (', "]) ('", 'should A', 'expect(a).'].map(
      (part) => ['a.test.js', part] as const,
    ),
    ...['try:assert', 'try:assert except Exception: print(', 'assert (', 'assert a'].map(
      (part) => ['test_a.py', part] as const,
    ),
    ['ATests.swift', '@Test '],
    ['tests/ATest.php', '#[Test '],
  ];
  const before = process.cpuUsage();
  for (const [path, part] of contents) facts(change(path, part.repeat(60_000 / part.length), ''));
  for (const part of ["\\'", ', ', '\'"']) facts(change('a.test.ts', `expect(${part.repeat(30_000)}`, ''));
  for (const start of ['of[])', 'it =', 'return', 'process.exit('])
    facts(change('a.test.ts', `${start}${' '.repeat(60_000)}x`, ''));
  facts(change('a_spec.rb', '=begin\n'.repeat(75_000), ''));
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
}, 300_000);
