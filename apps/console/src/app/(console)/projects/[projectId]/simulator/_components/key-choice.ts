/** A key to choose from a list. */
export interface KeyChoice {
  apiKeyId: string;
  /** `Mobile app (ceiba_4fJx09Qa…)`, and the state if it is not active. */
  label: string;
}
