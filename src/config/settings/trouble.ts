/** Why a settings file is left alone, with its place counted from one as editors do. */
export interface SettingsTrouble {
  readonly kind: 'syntax' | 'comment' | 'trailing-comma' | 'duplicate-key' | 'not-an-object' | 'wrong-type';
  readonly line: number;
  readonly column: number;
  /** A sentence without the file's name. */
  readonly text: string;
}
