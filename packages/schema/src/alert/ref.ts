/** A destination of a project. */
export interface AlertDestinationRef {
  projectId: string;
  destinationId: string;
}
