declare module '*.guides' {
  const groups: import('./guide.ts').GuideGroup[];
  export default groups;
}
