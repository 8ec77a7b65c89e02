"""Several models as one: recipes that train their members together, and models that were trained before."""
