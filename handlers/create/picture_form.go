package create

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"dailies/db/naming"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/web/videoapi"
)

// Pressed adds to the uploaded files what a button of the form asks for: an earlier
// picture ("pick"), or an empty picture for a field ("remove").
func Pressed(came []Upload, values url.Values) []Upload {
	if address := values.Get("pick"); address != "" {
		came = append(came, Upload{Note: createview.PictureNote{Address: site.Clip(address, 2048)}})
	}
	if field := values.Get("remove"); field != "" {
		came = append(came, Upload{Field: field})
	}
	return came
}

// TakeUploads puts uploaded or picked pictures into the form. It returns the last picture's
// note, and errors for unusable files.
func (f *Form) TakeUploads(came []Upload, values url.Values) (note createview.PictureNote, errs input.Errors) {
	came = Pressed(came, values)
	if len(came) == 0 {
		note = createview.BadPicture(createview.FileMissing)
		return note, input.Errors{f.place(""): note.Text}
	}
	for _, one := range came {
		note = one.Note
		field := f.place(one.Field)
		f.Put(field, note.Address) // empty for an unusable file, so that no earlier picture stays in the field
		if note.Bad {
			errs.Set(field, note.Text)
		}
	}
	return note, errs
}

// place returns field if the form has it, or else the first empty picture field, or
// else the last.
func (f *Form) place(field string) string {
	f.Pictures = f.Inputs()
	free := slices.Index(f.Pictures, "")
	if free < 0 {
		free = len(f.Pictures) - 1
	}
	for i := range f.Pictures {
		if field == PictureField(i) {
			free = i
		}
	}
	if field == "end_image_url" && f.Scene == videoapi.ImageToVideo {
		return field
	}
	return PictureField(free)
}

func (f *Form) Put(field, address string) {
	if field == "end_image_url" {
		f.EndPicture = address
	}
	for i := range f.Pictures {
		if field == PictureField(i) {
			f.Pictures[i] = address
		}
	}
}

// AddUploadErrors adds an error for each file that was chosen but not uploaded, which
// happens without JavaScript: only its name was submitted, and the field contains
// another picture or none.
func AddUploadErrors(errs input.Errors, values url.Values) input.Errors {
	for name := range values {
		field, isFile := strings.CutPrefix(name, "file.")
		if file := naming.Short(site.Clip(values.Get(name), 1000), 100); isFile && field != "" && file != "" {
			errs.Set(field, createview.NotUploaded(file))
		}
	}
	return errs
}

// PictureFields returns the pictures that are not empty, by the names of their
// fields.
func (f Form) PictureFields() map[string]string {
	fields := map[string]string{"end_image_url": f.EndPicture}
	for i, address := range f.Pictures {
		fields[PictureField(i)] = address
	}
	maps.DeleteFunc(fields, func(_, address string) bool { return address == "" })
	return fields
}
