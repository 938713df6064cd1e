export interface ShellProject {
  projectId: string;
  name: string;
}

export interface ShellProps {
  user: { email: string; isAdministrator: boolean };
  projects: readonly ShellProject[];
}
