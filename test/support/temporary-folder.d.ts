/** A folder that is removed when the test ends, by its real path. */
export declare function temporaryFolder(): Promise<string>;
//# sourceMappingURL=temporary-folder.d.ts.map
