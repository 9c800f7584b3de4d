package video

import (
	"context"
	"fmt"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Recipes stores recipes.
type Recipes struct {
	db *teamdb.DB
}

func uses(r *ordering.Recipe) []any {
	return []any{&r.Uses, (*engine.Instant)(&r.UsedAt), &r.Cover}
}

func recipe(id int64) string { return fmt.Sprintf("recipe %d", id) }

// AddRecipe adds the recipe and sets its ID. It returns db.ErrFull if its maker has
// ordering.MaxRecipes already.
func (s *Recipes) AddRecipe(ctx context.Context, r *ordering.Recipe) error {
	return engine.About("recipe of "+engine.User(r.CreatedBy), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		addRecipe(tx, r)
		fewRecipes(tx, r.CreatedBy)
	}))
}

// fewRecipes fails with db.ErrFull if the person has made more than ordering.MaxRecipes.
func fewRecipes(tx *engine.Tx, maker int64) {
	tx.Require(tx.Count(`SELECT 1 FROM recipes WHERE created_by = $1 AND deleted_at IS NULL`, maker) <= ordering.MaxRecipes, db.ErrFull)
}

var addedRecipe = schema.Recipes.Part(schema.Added)

var insertRecipe = `
	INSERT INTO recipes (` + addedRecipe.Names + `) VALUES (` + addedRecipe.Places(1) + `)
	RETURNING id`

func addRecipe(tx *engine.Tx, r *ordering.Recipe) {
	r.Name, r.Note = naming.Clean(r.Name), naming.CleanLines(r.Note)
	tx.Insert(&r.ID, insertRecipe, addedRecipe.Values(r)...)
}

// Recipe returns the recipe, even if it was deleted.
func (s *Recipes) Recipe(ctx context.Context, id int64) (ordering.Recipe, error) {
	return engine.Read(ctx, s.db, recipe(id), func(tx *engine.Tx) ordering.Recipe { return loadRecipe(tx, id) })
}

var recipeByID = `
	SELECT ` + schema.Recipes.Columns + `
	FROM recipes r JOIN users u ON u.id = r.created_by
	WHERE r.id = $1`

func loadRecipe(tx *engine.Tx, id int64) ordering.Recipe {
	return engine.One(tx, schema.Recipes.Scan(), recipeByID, id)
}

var latestRecipes = `
	SELECT ` + schema.Recipes.Columns + `, count(t.recipe_id), max(t.created_at) AS used_at, coalesce((
		SELECT m.id FROM tasks t JOIN gallery g ON g.id = t.id
		JOIN media m ON m.task_id = t.id AND m.kind = 'cover' AND m.lost_at IS NULL
		WHERE t.recipe_id = r.id AND g.state = 'success' AND ` + visible + `
		ORDER BY t.id DESC LIMIT 1
	), 0)
	FROM recipes r JOIN users u ON u.id = r.created_by
	LEFT JOIN (
		SELECT t.recipe_id, t.created_at FROM tasks t JOIN gallery g ON g.id = t.id
		WHERE t.recipe_id IS NOT NULL AND ` + visible + `
	) t ON t.recipe_id = r.id
	WHERE r.deleted_at IS NULL
	GROUP BY r.id, u.id
	ORDER BY coalesce(max(t.created_at), r.changed_at) DESC, r.id DESC
	LIMIT $2 + 0`

// Latest returns up to limit recipes, the last used first. Their Uses, UsedAt and
// Cover (of the newest video) count only videos that the viewer may see.
func (s *Recipes) Latest(ctx context.Context, viewer int64, limit int) ([]ordering.Recipe, error) {
	return engine.ReadAll(ctx, s.db.Reads, "recipes", schema.Recipes.Scan(uses), latestRecipes, viewer, max(0, limit))
}

var allRecipes = `
	SELECT ` + schema.Recipes.Columns + `
	FROM recipes r JOIN users u ON u.id = r.created_by
	WHERE r.deleted_at IS NULL
	ORDER BY r.id DESC`

// All returns every recipe that is not deleted, the newest first. They have no uses and no cover.
func (s *Recipes) All(ctx context.Context) ([]ordering.Recipe, error) {
	return engine.ReadAll(ctx, s.db.Reads, "all recipes", schema.Recipes.Scan(), allRecipes)
}

var listedRecipes = `
	SELECT ` + schema.Recipes.Columns + `
	FROM json_each($1) wanted JOIN recipes r ON r.id = CAST(wanted.value AS BIGINT) JOIN users u ON u.id = r.created_by
	ORDER BY r.changed_at DESC, r.id DESC LIMIT $2 + 0`

// FindRecipes returns the recipes in whose name every word of the query is the beginning
// of a word, those that were changed last first, at most as many as the limit. They have
// no uses and no cover.
func (s *Recipes) FindRecipes(ctx context.Context, query string, limit int) ([]ordering.Recipe, error) {
	return engine.Read(ctx, s.db, "recipes by name", func(tx *engine.Tx) []ordering.Recipe {
		ids := teamdb.Found(teamdb.Listed(tx, teamdb.RecipeNames), query)
		return engine.All(tx, schema.Recipes.Scan(), listedRecipes, engine.AsJSON(&ids), limit)
	})
}

var changedRecipe = schema.Recipes.Part(schema.Changed)

var updateRecipe = `UPDATE recipes SET ` + changedRecipe.Sets(2) + ` WHERE id = $1`

// UpdateRecipe loads the recipe, calls change with it, and writes back everything but
// its maker, its creation time and the task it was made from. An error from change
// rolls everything back and is returned unchanged. It returns db.ErrFull if a deleted
// recipe is restored whose maker has ordering.MaxRecipes others.
func (s *Recipes) UpdateRecipe(ctx context.Context, id int64, change func(*ordering.Recipe) error) (ordering.Recipe, error) {
	var r ordering.Recipe
	err := s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		about := tx.About(recipe(id))
		if r = loadRecipe(about, id); !tx.OK() {
			return
		}
		deleted := !r.DeletedAt.IsZero()
		tx.Check(change(&r))
		r.Name, r.Note = naming.Clean(r.Name), naming.CleanLines(r.Note)
		about.Exec(updateRecipe, changedRecipe.Values(&r, id)...)
		if tx.OK() && deleted && r.DeletedAt.IsZero() {
			fewRecipes(about, r.CreatedBy)
		}
	})
	return r, err
}
