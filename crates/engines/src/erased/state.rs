//! A state of an engine whose type nobody knows.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ludorum_reasoner::contract::ReasonError;

/// A state of an engine whose type nobody knows.
#[derive(Clone, Debug)]
pub struct ErasedState(Arc<dyn Object>);

/// What has to be known of a state.
trait Object: Any + fmt::Debug + Send + Sync {
    fn is_equal(&self, other: &dyn Any) -> bool;
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

impl<S: Eq + Hash + fmt::Debug + Send + Sync + 'static> Object for S {
    fn is_equal(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<S>() == Some(self)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

impl ErasedState {
    /// Hides the type of a state.
    pub(super) fn new<S: Eq + Hash + fmt::Debug + Send + Sync + 'static>(state: S) -> Self {
        Self(Arc::new(state))
    }

    fn any(&self) -> &dyn Any {
        &*self.0
    }

    /// The state itself; none if it is of another type.
    pub(super) fn inner<S: 'static>(&self) -> Option<&S> {
        self.any().downcast_ref()
    }

    /// The same for a question that can fail.
    pub(super) fn own<S: 'static>(&self) -> Result<&S, ReasonError> {
        self.inner().ok_or_else(|| ReasonError::BadText {
            text: "state".to_owned(),
            reason: "it was made by another reasoner".to_owned(),
        })
    }
}

impl PartialEq for ErasedState {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.is_equal(other.any())
    }
}

impl Eq for ErasedState {}

impl Hash for ErasedState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash_into(state);
    }
}
