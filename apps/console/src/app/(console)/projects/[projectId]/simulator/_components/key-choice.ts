/** A key to choose from a list. */
export interface KeyChoice {
  apiKeyId: string;
  /** `Mobile app (ceiba_4fJx09Qa…)`, and the status if it is not active. */
  label: string;
}
