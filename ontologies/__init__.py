"""Background knowledge: RDF and Prolog files, loaded as Prolog facts."""
